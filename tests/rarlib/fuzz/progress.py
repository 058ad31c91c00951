"""The cases of a campaign that have been run, kept on disk so that it goes on where it stopped."""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from rarlib.model.project import ROOT
from tests.rarlib.fuzz.outcome import FINDING, REFUSED, VALID, Outcome
from tests.rarlib.fuzz.worker import Ran

FOLDER = ROOT / "build" / "fuzz"
COLUMNS = ("target", "cases", "valid", "refused", "findings", "seed")


class Progress:
    """Counts and findings of one seed and one state of the code.

    Args:
        seed: of the campaign.
        folder: where it is kept.
        names: its targets; none: all.
    """

    def __init__(self, seed: int, folder: Path = FOLDER, names: Collection[str] = ()) -> None:
        of = "".join(f"-{name}" for name in names)
        self.seed, self.path = seed, folder / f"seed-{seed}{of}-{_code_digest()}.jsonl"
        self.done: set[int] = set()
        self.counts: Counter[tuple[str, str]] = Counter()
        self.findings: list[Ran] = []
        folder.mkdir(parents=True, exist_ok=True)
        for number, target, verdict, said in self._kept():
            self._count(Ran(number, target, Outcome(verdict, said)))

    def add(self, ran: Ran) -> None:
        """Count a case and keep it."""
        self._count(ran)
        said = ran.outcome.said if ran.outcome.verdict == FINDING else ""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([ran.number, ran.target, ran.outcome.verdict, said]) + "\n")

    def summary(self) -> str:
        """A row per target and one for all, as CSV."""
        targets = sorted({target for target, _ in self.counts})
        of = {target: [self.counts[target, verdict] for verdict in (VALID, REFUSED, FINDING)] for target in targets}
        of["all"] = [sum(numbers[i] for numbers in of.values()) for i in range(3)]
        lines = [[name, sum(numbers), *numbers, self.seed] for name, numbers in of.items()]
        return "".join(",".join(map(str, line)) + "\n" for line in (COLUMNS, *lines))

    def _count(self, ran: Ran) -> None:
        if ran.number in self.done:
            return
        self.done.add(ran.number)
        self.counts[ran.target, ran.outcome.verdict] += 1
        if ran.outcome.verdict == FINDING:
            self.findings.append(ran)

    def _kept(self) -> Iterator[tuple[Any, ...]]:
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.is_file() else []
        for line in lines:
            try:
                yield tuple(json.loads(line))
            except ValueError:  # the last one may be cut short
                continue


def _code_digest() -> str:
    """Digest of the code that cases run: after a change, all of them are run again."""
    state = hashlib.sha256()
    for path in _sources((ROOT / "rarlib", ROOT / "artifact", ROOT / "tests/rarlib/fuzz")):
        state.update(path.read_bytes())
    return state.hexdigest()[:12]


def _sources(folders: Iterable[Path]) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))
