"""`study.yaml`: what a study compares; read and checked, with the file, the field and the rule of whatever is wrong."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from artifact.arena.metrics import METRICS
from artifact.schema import SCHEMAS, check_schema
from artifact.study.entrants import Entrant, new_entrant
from artifact.study.entries import in_field, listed_values, require_known
from artifact.study.sweeps import FACTORIAL, StudySetting, swept
from rarlib.cost.named import cost_model_names, make_cost_model
from rarlib.model import limits
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError, did_you_mean, shown
from rarlib.model.plain_yaml import yaml_file
from rarlib.traces.laws.spec import read_spec
from rarlib.traces.load import known_formats
from rarlib.traces.sources import read_sources

STUDY_FILE = "study.yaml"
RUNS, PAIRS = "runs", "pairs"
_MINUTES = 60
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
        entrants: schedulers by the name that the study gives them.
        sources: traces and workloads.
        clusters: specification by name.
        costs: `model`, `contention` and the rule for `applications`, if any, by name.
        settings: of the sweep, the base setting first.
        looks: numbers of seeds after which the statements are looked at, ascending; the last is the most.
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
    """Read and check the study of a folder: by `config/schema/study.schema.yaml`, then what that cannot check."""
    file = folder / STUDY_FILE
    table = yaml_file(file)
    check_schema(table, SCHEMAS / "study.schema.yaml", file)
    entrants = {name: new_entrant(name, each or {}, folder, file) for name, each in table["schedulers"].items()}
    sources = _sources(table, folder, file)
    clusters = {name: str(spec) for name, spec in table["clusters"].items()}
    for name, spec in clusters.items():
        in_field(partial(Cluster.parse, spec), file, f"clusters.{name}")
    costs = _costs(table, file)
    metrics = tuple(table.get("metrics", ["mean_jct"]))
    for metric in metrics:
        require_known(metric, [each.name for each in METRICS], "metric", file, "metrics")
    figures = table.get("figures", {})
    for name in figures:
        if not (folder / f"notebooks/figures/{name}.ipynb").is_file():
            raise InputError(f"no notebook notebooks/figures/{name}.ipynb", file=file, field=f"figures.{name}")
    return Study(
        name=table["name"],
        title=table.get("title", table["name"]),
        folder=folder,
        entrants=entrants,
        sources=sources,
        clusters=clusters,
        costs=costs,
        settings=_settings(table, clusters, costs, file),
        quantum_s=float(table.get("quantum_s", 0)),
        overload=table.get("overload", False),
        looks=_looks(table["seeds"], file),
        metrics=metrics,
        statements=_statements(table, entrants, sources, metrics, file),
        figures=figures,
        minutes=int(table.get("minutes", _MINUTES)),
    )


def _sources(table: Mapping[str, Any], folder: Path, file: Path) -> dict[str, JobSource]:
    found: dict[str, JobSource] = {}
    for key, drawn in (("traces", False), ("workloads", True)):
        for name, each in table.get(key, {}).items():
            where = f"{key}.{name}"
            if name in found:
                raise InputError("is there as a trace, too", file=file, field=where)
            found[name] = _source(name, each, drawn, folder, file, where)
    if not found:
        raise InputError("needs traces or workloads", file=file, field="traces")
    return found


def _source(name: str, each: Mapping[str, Any], drawn: bool, folder: Path, file: Path, where: str) -> JobSource:
    own, form = each.get("file", ""), each.get("format", "")
    if own and not (folder / own).is_file():
        raise InputError(f"no such file: {shown(own)}", file=file, field=f"{where}.file")
    if drawn:
        read_spec(folder / own)
    elif not own and name not in read_sources():
        near = did_you_mean(name, read_sources())
        raise InputError(f"no source of this name{near}; give the file of your own", file=file, field=where)
    if form:
        require_known(form, known_formats(), "format", file, f"{where}.format")
    return JobSource(name, own, form, int(each["jobs"]), drawn)


def _costs(table: Mapping[str, Any], file: Path) -> dict[str, dict[str, Any]]:
    """The cost models by name, each made once to check it; without the entry, recorded durations."""
    found: dict[str, dict[str, Any]] = {}
    for name, each in table.get("costs", {"recorded": {"model": "trace"}}).items():
        rule, contention = each.get("applications"), each.get("contention")
        model = each.get("model", "trace" if rule is None else "goodput")
        if rule is not None and model != "goodput":
            raise InputError("only under the model goodput", file=file, field=f"costs.{name}.applications")
        require_known(model, cost_model_names(), "cost model", file, f"costs.{name}")
        in_field(partial(make_cost_model, model, contention), file, f"costs.{name}")
        found[name] = {"model": model, "contention": contention} | ({"applications": rule} if rule else {})
    return found


def _settings(
    table: Mapping[str, Any], clusters: Mapping[str, str], costs: Mapping[str, Any], file: Path
) -> list[StudySetting]:
    loads = table.get("loads", [None])
    if not table.get("overload", False) and any(load is not None and load >= 1 for load in loads):
        raise InputError("must be below 1 unless overload is true", file=file, field="loads")
    levels = {
        "cluster": list(clusters),
        "cost": list(costs),
        "load": list(map(_text, loads)),
        "error": list(map(_text, table.get("errors", [0]))),
        "restart": list(map(_text, table.get("restarts", [None]))),
    }
    sweep = table.get("sweep", FACTORIAL)
    counts = [len(row) for row in levels.values()]
    limits.STUDY_SETTINGS.check(math.prod(counts) if sweep == FACTORIAL else sum(counts), file=file)
    return swept(levels, sweep)


def _text(level: float | None) -> str:
    return "" if level is None else f"{float(level):g}"


def _looks(seeds: Any, file: Path) -> tuple[int, ...]:
    if not isinstance(seeds, dict):
        return (int(seeds),)
    first, step, most = (int(seeds[key]) for key in ("first", "step", "most"))
    if first > most:
        raise InputError(f"must be from 2 to {most}, the most seeds, found {first}", file=file, field="seeds.first")
    return (*range(first, most, step), most)


def _statements(
    table: Mapping[str, Any],
    entrants: Mapping[str, Entrant],
    sources: Mapping[str, JobSource],
    metrics: Sequence[str],
    file: Path,
) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for key, each in table.get("statements", {}).items():
        where, better, worse = f"statements.{key}", each["better"], each["worse"]
        require_known(better, entrants, "scheduler", file, f"{where}.better")
        rivals = [name for name in entrants if name != better] if worse == OTHERS_OF_STUDY else listed_values(worse)
        for rival in rivals:
            require_known(rival, entrants, "scheduler", file, f"{where}.worse")
            if rival == better:
                raise InputError("a scheduler is not compared with itself", file=file, field=f"{where}.worse")
        metric = each.get("metric", metrics[0])
        require_known(metric, metrics, "metric", file, f"{where}.metric")
        on = tuple(listed_values(each.get("on", list(sources))))
        for source in on:
            require_known(source, sources, "trace or workload", file, f"{where}.on")
        single = len(rivals) == 1
        limits.STUDY_STATEMENTS.check(len(found) + len(rivals), file=file, field="statements")
        found += [
            Statement(key if single else f"{key}-{rival}", better, rival, metric, float(each.get("than", 1)), on)
            for rival in rivals
        ]
    names = [statement.name for statement in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"two statements are called {twice[0]}", file=file, field="statements")
    return tuple(found)
