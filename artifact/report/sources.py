"""Sources of data: every trace and profile behind the tables, with its digest and whether it is recorded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

RECORDED, COMPUTED, STAND_IN = "recorded data", "computed", "STAND-IN"


@dataclass(frozen=True)
class UsedSource:
    """A file that was read, or the stand-in that took its place."""

    name: str
    digest: str
    standin: bool
    rows: str

    @property
    def kind(self) -> str:
        """Where the numbers come from; what was computed from formulas has no digest."""
        return STAND_IN if self.standin else RECORDED if self.digest else COMPUTED


def sources_of(facts: Iterable[Mapping[str, Any]]) -> list[UsedSource]:
    """Sources in the provenance of a table; a set of profiles or workloads counts file by file.

    `facts`: `traces` of a table's JSON; each entry has `name` and `standin`, and either a digest of its own or entries
    of the same kind inside.
    """
    return [source for fact in facts for source in _leaves(str(fact["name"]), fact)]


def _leaves(name: str, fact: Mapping[str, Any]) -> list[UsedSource]:
    inside = [
        (str(key), entry)
        for group in fact.values()
        if isinstance(group, Mapping)
        for key, entry in group.items()
        if isinstance(entry, Mapping) and "standin" in entry
    ]
    if inside:
        return [source for key, entry in inside for source in _leaves(f"{name}: {key}", entry)]
    digest = str(fact.get("sha256") or fact.get("digest") or "").rpartition(":")[2]
    return [UsedSource(name, digest[:12], bool(fact["standin"]), _rows(fact))]


def _rows(fact: Mapping[str, Any]) -> str:
    if "read" not in fact:
        return f"{fact['rows']} rows" if "rows" in fact else ""
    dropped = "".join(f", {count} dropped ({reason})" for reason, count in fact.get("dropped", {}).items())
    return f"{fact['read']} rows read, {fact['kept']} kept{dropped}"
