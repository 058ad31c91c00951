"""What Table 1 and section 5 leave open about the machines and the software, and what a configuration states of them.

A reading gives a value to each of `UNKNOWNS`, by name; docs/readings.md says how the fitted one was chosen.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from artifact.papers.pipedream.placed import System
from artifact.papers.pipedream.setups import TableRow
from artifact.unknowns import readings_of, value_of_each
from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.planner import Options, plan_configuration

UNKNOWNS, PIPEDREAM_READINGS = readings_of("pipedream")

CODED = Options(variant="as-coded", compression=1.0)
"""The authors' program as its README calls it: transfers between stages are counted."""
DEFAULT_BANDWIDTH = 1e9
"""Bytes per second that the authors' program assumes unless told otherwise."""

SMALL = ("awd-lm-6", "s2vt")
"""Profiles of 80 samples whose minibatch the paper does not state."""

_SETTINGS = {
    "reached": ("between", "inside"),
    "overlap": ("overlap",),
    "one_ring": ("one ring",),
    "latency_s": ("latency",),
    "limit": ("limit",),
}
"""Setting -> the unknowns that it replaces, unless it is None."""


class Machines(NamedTuple):
    """What a configuration states about the machines; what it leaves out is as in the paper.

    Attributes:
        default_rate: bytes per second that the authors' program assumes between all GPUs.
        memory: bytes of a GPU, which limit GPipe's flushes.
        inside: bytes per second inside a server, by cluster; a cluster that is left out keeps that of `setups.py`.
        between: the same between servers.
    """

    default_rate: float = DEFAULT_BANDWIDTH
    memory: float = 16e9
    inside: Mapping[str, float] = {}
    between: Mapping[str, float] = {}

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Machines":
        """What the settings of a table state."""
        given = {key: settings[key] for key in ("default_rate", "inside", "between") if key in settings}
        return cls(memory=float(settings.get("memory_bytes", 16e9)), **given)

    def rated(self, row: TableRow) -> TableRow:
        """A row with these link rates; the last letter of its label is its cluster."""
        name, cluster = row.label[-1], row.cluster
        inside, between = self.inside.get(name, cluster.inside), self.between.get(name, cluster.between)
        return row._replace(cluster=cluster._replace(inside=float(inside), between=float(between)))


def values_of_readings(settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """A value for each unknown, by reading: those of the reading, replaced by what the settings say.

    `settings`: `readings` (names in `PIPEDREAM_READINGS`), and what `_SETTINGS` lists; None: that of the reading.

    Raises:
        InputError: for an unknown reading.
    """
    own = {each: settings.get(key) for key, several in _SETTINGS.items() for each in several}
    names = settings.get("readings", list(PIPEDREAM_READINGS))
    return {name: value_of_each(PIPEDREAM_READINGS, name, own) for name in names}


def system_in(values: Mapping[str, Any], row: TableRow) -> System:
    """The machines and the software of a row under a value for each unknown.

    Where a server has one GPU, all its links are those between servers.
    """
    measured = row.profile.startswith("pipedream-")
    return System(
        between=float(values["between"]),
        inside=float(values["inside" if row.cluster.gpus > 1 else "between"]),
        overlap=bool(values["overlap"]),
        one_ring=bool(values["one ring"]),
        neighbours=bool(values["neighbours"]),
        speed=float(values["speed" if measured else "computed"]),
        minibatch=float(values["minibatch"]) if row.profile in SMALL else 1.0,
        latency_s=float(values["latency"]),
        limit=inf if values["limit"] is None else 1e9 * float(values["limit"]),
    )


def cut_in(cut: str, graph: LayerGraph, replicas: Sequence[int], row: TableRow, machines: Machines) -> Plan:
    """A configuration, cut at the best places.

    `cut`: `published`: by the published recurrence, with the links between servers; `as-coded`: by the authors' program
    at its default rate.
    """
    if cut == "as-coded":
        return plan_configuration(graph, replicas, machines.default_rate, CODED)
    return plan_configuration(graph, replicas, row.bandwidth[-1], Options(compression=1.0))
