"""`study.yaml`: what a study compares; read and checked, with the file, the field and the rule of whatever is wrong."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from artifact.arena.metrics import METRICS
from artifact.study.costs import study_costs
from artifact.study.entrants import Entrant, new_entrant
from artifact.study.entries import (
    STUDY_NAME,
    count_in,
    in_field,
    list_in,
    listed_values,
    names_in,
    number_from_0,
    require_known,
)
from artifact.study.sweeps import FACTORIAL, STUDY_SWEEPS, StudySetting, swept
from rarlib.model import limits
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError, did_you_mean, require_keys, shown
from rarlib.model.plain_yaml import yaml_file
from rarlib.traces.laws.spec import read_spec
from rarlib.traces.load import known_formats
from rarlib.traces.sources import read_sources

STUDY_FILE = "study.yaml"
_KEYS = (
    "name", "title", "schedulers", "traces", "workloads", "clusters", "costs", "loads", "errors", "restarts", "sweep",
    "quantum_s", "overload", "seeds", "metrics", "statements", "figures", "minutes",
)  # fmt: skip
_FIGURE_KEYS = ("title", "caption", "alt", "tables")
RUNS, PAIRS = "runs", "pairs"
TABLES_OF_STUDY = (RUNS, PAIRS)
_MOST_SEEDS, _MOST_JOBS, _MOST_MINUTES = 1000, 100_000, 10_000
_MINUTES = 60
_METRICS = tuple(metric.name for metric in METRICS)
OTHERS_OF_STUDY = "others"
"""In a statement: every other scheduler of the study."""


class JobSource(NamedTuple):
    """Where jobs come from.

    Attributes:
        file: a table of jobs or the laws of a workload, relative to the study's folder; empty: a listed source.
        format: of the table; empty: found from its first line.
        jobs: jobs of one seed.
        drawn: whether the file holds laws.
    """

    name: str
    file: str
    format: str
    jobs: int
    drawn: bool


class Statement(NamedTuple):
    """One thing that a study tests: the mean ratio of `metric`, `better` over `worse`, is below `than`."""

    name: str
    better: str
    worse: str
    metric: str
    than: float
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Study:
    """A checked study.

    Attributes:
        name: of the study and of its tables.
        entrants: schedulers by the name that the study gives them.
        sources: traces and workloads.
        clusters: specification by name.
        costs: `model`, `contention` and the rule for `applications`, if any, by name.
        settings: of the sweep, the base setting first.
        looks: numbers of seeds after which the statements are looked at, ascending; the last is the most.
        statements: what is tested, in order.
        figures: title, caption, alternative text and tables of each notebook in `notebooks/figures`.
        minutes: time limit of a job of the pipeline.
    """

    name: str
    title: str
    folder: Path
    entrants: Mapping[str, Entrant]
    sources: Mapping[str, JobSource]
    clusters: Mapping[str, str]
    costs: Mapping[str, Mapping[str, Any]]
    settings: Sequence[StudySetting]
    quantum_s: float
    overload: bool
    looks: tuple[int, ...]
    metrics: tuple[str, ...]
    statements: tuple[Statement, ...]
    figures: Mapping[str, Mapping[str, Any]]
    minutes: int


def read_study_file(folder: Path) -> Study:
    """Read and check the study of a folder."""
    file = folder / STUDY_FILE
    table = yaml_file(file)
    require_keys(table, _KEYS, file, "study")
    for key in ("name", "schedulers", "clusters", "seeds"):
        if key not in table:
            raise InputError("is missing", file=file, field=key)
    entrants = {
        name: new_entrant(name, each or {}, folder, file) for name, each in names_in(table, "schedulers", file).items()
    }
    sources = _sources(table, folder, file)
    clusters = _clusters(table, file)
    costs = study_costs(table, file)
    settings = _settings(table, clusters, costs, file)
    metrics = tuple(list_in(table, "metrics", ["mean_jct"], file))
    for metric in metrics:
        require_known(metric, _METRICS, "metric", file, "metrics")
    if not isinstance(table["name"], str) or not STUDY_NAME.fullmatch(table["name"]):
        raise InputError("must be lower-case words joined by hyphens", file=file, field="name")
    return Study(
        name=table["name"],
        title=str(table.get("title", table["name"])),
        folder=folder,
        entrants=entrants,
        sources=sources,
        clusters=clusters,
        costs=costs,
        settings=settings,
        quantum_s=number_from_0(table.get("quantum_s", 0), file, "quantum_s"),
        overload=bool(table.get("overload", False)),
        looks=_looks(table["seeds"], file),
        metrics=metrics,
        statements=_statements(table, entrants, sources, metrics, file),
        figures=_figures(table, folder, file),
        minutes=count_in(table.get("minutes", _MINUTES), _MOST_MINUTES, file, "minutes"),
    )


def _sources(table: Mapping[str, Any], folder: Path, file: Path) -> dict[str, JobSource]:
    found: dict[str, JobSource] = {}
    for key, drawn in (("traces", False), ("workloads", True)):
        for name, each in (names_in(table, key, file) if key in table else {}).items():
            where = f"{key}.{name}"
            if name in found:
                raise InputError("is there as a trace, too", file=file, field=where)
            found[name] = _source(name, each, drawn, folder, file, where)
    if not found:
        raise InputError("needs traces or workloads", file=file, field="traces")
    return found


def _source(name: str, each: Any, drawn: bool, folder: Path, file: Path, where: str) -> JobSource:
    require_keys(each, ("file", "jobs") if drawn else ("file", "format", "jobs"), file, where)
    jobs = count_in(each.get("jobs"), _MOST_JOBS, file, f"{where}.jobs", least=2)
    own = each.get("file")
    if own is not None and not (isinstance(own, str) and (folder / own).is_file()):
        raise InputError(f"no such file: {shown(own)}", file=file, field=f"{where}.file")
    if drawn:
        if own is None:
            raise InputError("is missing: the laws of the workload", file=file, field=f"{where}.file")
        read_spec(folder / own)
    elif own is None and name not in read_sources():
        near = did_you_mean(name, read_sources())
        raise InputError(f"no source of this name{near}; give the file of your own", file=file, field=where)
    if (format_ := each.get("format")) is not None:
        require_known(format_, known_formats(), "format", file, f"{where}.format")
    return JobSource(name, own or "", format_ or "", jobs, drawn)


def _clusters(table: Mapping[str, Any], file: Path) -> dict[str, str]:
    found = {name: str(spec) for name, spec in names_in(table, "clusters", file).items()}
    for name, spec in found.items():
        in_field(lambda spec=spec: Cluster.parse(spec), file, f"clusters.{name}")
    return found


def _settings(
    table: Mapping[str, Any], clusters: Mapping[str, str], costs: Mapping[str, Any], file: Path
) -> list[StudySetting]:
    overload = table.get("overload", False)
    if not isinstance(overload, bool):
        raise InputError(f"must be true or false, found {shown(overload)}", file=file, field="overload")
    loads = [number_from_0(each, file, "loads", None) for each in list_in(table, "loads", [None], file)]
    for load in loads:
        if load is not None and (load == 0 or (load >= 1 and not overload)):
            rule = f"must be above 0, and below 1 unless overload is true, found {load:g}"
            raise InputError(rule, file=file, field="loads")
    errors = [number_from_0(each, file, "errors") for each in list_in(table, "errors", [0], file)]
    restarts = [number_from_0(each, file, "restarts", None) for each in list_in(table, "restarts", [None], file)]
    levels = {
        "cluster": list(clusters),
        "cost": list(costs),
        **{name: [_text(each) for each in row] for name, row in zip(
            ("load", "error", "restart"), (loads, errors, restarts), strict=True)},
    }  # fmt: skip
    sweep = table.get("sweep", FACTORIAL)
    require_known(sweep, STUDY_SWEEPS, "sweep", file, "sweep")
    counts = [len(row) for row in levels.values()]
    limits.STUDY_SETTINGS.check(math.prod(counts) if sweep == FACTORIAL else sum(counts), file=file)
    return swept(levels, sweep)


def _text(level: float | None) -> str:
    return "" if level is None else f"{level:g}"


def _looks(seeds: Any, file: Path) -> tuple[int, ...]:
    if not isinstance(seeds, dict):
        return (count_in(seeds, _MOST_SEEDS, file, "seeds"),)
    require_keys(seeds, ("first", "step", "most"), file, "seeds")
    most = count_in(seeds.get("most"), _MOST_SEEDS, file, "seeds.most", least=2)
    first = count_in(seeds.get("first"), most, file, "seeds.first", least=2)
    step = count_in(seeds.get("step"), most, file, "seeds.step")
    return (*range(first, most, step), most)


def _statements(
    table: Mapping[str, Any],
    entrants: Mapping[str, Entrant],
    sources: Mapping[str, JobSource],
    metrics: Sequence[str],
    file: Path,
) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for key, each in (names_in(table, "statements", file) if "statements" in table else {}).items():
        where = f"statements.{key}"
        require_keys(each, ("better", "worse", "metric", "than", "on"), file, where)
        better = each.get("better")
        require_known(better, entrants, "scheduler", file, f"{where}.better")
        worse = each.get("worse")
        rivals = [name for name in entrants if name != better] if worse == OTHERS_OF_STUDY else listed_values(worse)
        for rival in rivals:
            require_known(rival, entrants, "scheduler", file, f"{where}.worse")
            if rival == better:
                raise InputError("a scheduler is not compared with itself", file=file, field=f"{where}.worse")
        metric = each.get("metric", metrics[0])
        require_known(metric, metrics, "metric", file, f"{where}.metric")
        than = number_from_0(each.get("than", 1), file, f"{where}.than")
        on = tuple(listed_values(each.get("on", list(sources))))
        for source in on:
            require_known(source, sources, "trace or workload", file, f"{where}.on")
        single = len(rivals) == 1
        limits.STUDY_STATEMENTS.check(len(found) + len(rivals), file=file, field="statements")
        found += [Statement(key if single else f"{key}-{rival}", better, rival, metric, than, on) for rival in rivals]
    names = [statement.name for statement in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"two statements are called {twice[0]}", file=file, field="statements")
    return tuple(found)


def _figures(table: Mapping[str, Any], folder: Path, file: Path) -> dict[str, dict[str, Any]]:
    found = names_in(table, "figures", file) if "figures" in table else {}
    for name, each in found.items():
        where = f"figures.{name}"
        require_keys(each, _FIGURE_KEYS, file, where)
        for key in _FIGURE_KEYS[:3]:
            if not isinstance(each.get(key), str) or not each[key].strip():
                raise InputError("needs a text", file=file, field=f"{where}.{key}")
        for shown_table in list_in(each, "tables", [], file):
            require_known(shown_table, TABLES_OF_STUDY, "table", file, f"{where}.tables")
        if not (folder / f"notebooks/figures/{name}.ipynb").is_file():
            raise InputError(f"no notebook notebooks/figures/{name}.ipynb", file=file, field=where)
    return found
