"""The points of every table of AITurbo's evaluation: scenario, cluster, jobs and arrivals, and who runs them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from artifact.papers.aiturbo.choices import AITURBO_READINGS, member_in, run_settings, scenario_in
from artifact.papers.aiturbo.members import MEMBERS, Contestant
from artifact.papers.aiturbo.scenarios import MAIN, Scenario, mixes
from artifact.unknowns import value_of_each
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError


class Point(NamedTuple):
    """What one row of a table is run on.

    Attributes:
        scenario: how instances are drawn; its setup, reading and x name the rows.
        changes: settings that differ at this point.
        trace: name of the trace whose arrivals are replayed; empty: the only one.
    """

    scenario: Scenario
    member: Contestant
    seeds: int
    changes: Mapping[str, Any] = {}
    trace: str = ""


def points(part: str, member: str, settings: Mapping[str, Any]) -> Sequence[Point]:
    """All points of a table for one scheduler.

    Raises:
        InputError: for an unknown table or member.
    """
    if member not in MEMBERS:
        raise InputError(f"unknown member {member!r}; known: {', '.join(MEMBERS)}", field="cells")
    if part not in _TABLES:
        raise InputError(f"unknown table {part!r}; known: study, {', '.join(_TABLES)}", field="cells")
    return _TABLES[part](member, settings)


def _main(member: str, settings: Mapping[str, Any]) -> list[Point]:
    return _in_readings([MAIN], member, settings)


def _in_readings(cases: Sequence[Scenario], member: str, settings: Mapping[str, Any]) -> list[Point]:
    """Scenarios in each reading; a cluster or load that the settings give replaces that of the reading."""
    own = {name: settings[name] for name in ("cluster", "load")}
    return [
        Point(
            scenario_in(values, case, member)._replace(reading=reading),
            member_in(values, member),
            int(settings["seeds"]),
            run_settings(values, own),
        )
        for reading in settings["readings"]
        for values in [value_of_each(AITURBO_READINGS, reading)]
        for case in cases
    ]


def _ablation(member: str, settings: Mapping[str, Any]) -> list[Point]:
    return [Point(MAIN, MEMBERS[member], int(settings["seeds"]))]


def _mixes(member: str, settings: Mapping[str, Any]) -> list[Point]:
    return _in_readings([mix for mix in mixes(settings["shares"]) if mix.setup in settings["mixes"]], member, settings)


def _load(member: str, settings: Mapping[str, Any]) -> list[Point]:
    found = [MAIN._replace(setup="load", x_name="load", x=f"{x:g}", load=float(x)) for x in settings["loads"]]
    return [Point(each, MEMBERS[member], int(settings["seeds"])) for each in found]


def _error(member: str, settings: Mapping[str, Any]) -> list[Point]:
    found = [MAIN._replace(setup="error", x_name="error", x=f"{x:g}", error=float(x)) for x in settings["errors"]]
    return [Point(each, MEMBERS[member], int(settings["seeds"])) for each in found]


def _size(member: str, settings: Mapping[str, Any]) -> list[Point]:
    """Clusters of nodes like those of [LAB], with as many jobs per GPU, at the same offered load.

    Setup `tasks`: a worker is one GPU, and a job has at most 4 [LAB]. Setup `gpus`: jobs request as many GPUs as in the
    data set, up to 8 [DATA].
    """
    found, base = [], Cluster.parse(settings["cluster"]).total_gpus
    for gpus, seeds in ((int(size["gpus"]), int(size["seeds"])) for size in settings["sizes"]):
        cluster = f"gpu:{gpus // 2}x2,cpu:{gpus // 2}x4"
        changes = {"cluster": cluster, "jobs": int(settings["jobs"]) * gpus // base}
        for setup, recorded in (("tasks", False), ("gpus", True)):
            case = MAIN._replace(setup=setup, x_name="gpus", x=f"{gpus}", as_recorded=recorded)
            found.append(Point(case, MEMBERS[member], seeds, changes))
    return found


def _arrivals(member: str, settings: Mapping[str, Any]) -> list[Point]:
    cases = {trace: MAIN._replace(setup="arrivals", x_name="trace", x=trace) for trace in settings["traces"]}
    return [Point(case, MEMBERS[member], int(settings["seeds"]), {}, trace) for trace, case in cases.items()]


def _turning(member: str, settings: Mapping[str, Any]) -> list[Point]:
    """Jobs that turn predictable: the unpredictable ones of the study, and all jobs, as in [LAB]."""
    cases = [
        MAIN._replace(setup=setup, x_name="turning", x=f"{share}", turning=share / 100, all_unknown=unknown)
        for setup, unknown in (("study", False), ("all unknown", True))
        for share in settings["turning"]
    ]
    return [Point(case, MEMBERS[member], int(settings["seeds"])) for case in cases]


_TABLES = {
    "main": _main,
    "mixes": _mixes,
    "load": _load,
    "error": _error,
    "ablation": _ablation,
    "size": _size,
    "arrivals": _arrivals,
    "turning": _turning,
}
