"""A workload in a YAML file: laws of arrivals, sizes and durations; read and drawn.

    arrivals:
      per_hour: 30                                    # or load, below
      by_hour: [1, 1, ..., 2]                         # 24 weights, from midnight on
      by_weekday: [1, 1, 1, 1, 1, 0.5, 0.5]           # from Monday on
      bursts: {calm_s: 7200, burst_s: 1800, ratio: 8}
      batch_mean: 1.5
    sizes: {1: 0.7, 2: 0.1, 8: 0.2}                   # GPUs: weight
    durations:                                        # GPUs from which on a law holds: law
      1: {law: lognormal, median_s: 600, sigma: 1.5}
      8: {law: mixture, parts: [{weight: 0.4, law: weibull, scale_s: 300, shape: 0.5},
                                {weight: 0.6, law: pareto, least_s: 600, most_s: 1.0e+6, tail: 0.8}]}
    load: {target: 0.8, cluster: 16x8}                # instead of per_hour: the expected load

Only per_hour (or load), sizes and durations are needed. Lengths and counts are independent of the time of submission.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from rarlib.model import limits
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError, require_keys, shown
from rarlib.model.jobs import Jobs
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.seeds import stream
from rarlib.traces.digest import digest
from rarlib.traces.laws.arrivals import Arrivals, Bursts
from rarlib.traces.laws.durations import DURATION_LAWS, DurationLaw, DurationMixture
from rarlib.traces.load import Trace

_MIXTURE = "mixture"
_MOST = float(limits.SECONDS.most)


@dataclass(frozen=True)
class WorkloadSpec:
    """Laws of a workload.

    Attributes:
        arrivals: when jobs are submitted.
        sizes: GPUs of a job -> probability, ascending.
        durations: GPUs from which on a law holds -> law of the seconds that a job runs, ascending, from 1 on.
    """

    arrivals: Arrivals
    sizes: Mapping[int, float]
    durations: Mapping[int, DurationLaw]

    def law_of(self, gpus: int) -> DurationLaw:
        """The law of the durations of jobs with so many GPUs."""
        return self.durations[max(floor for floor in self.durations if floor <= gpus)]

    @property
    @np.errstate(all="ignore")
    def mean_gpu_s(self) -> float:
        """GPU-seconds that a job requests on average."""
        return sum(share * gpus * self.law_of(gpus).mean_s for gpus, share in self.sizes.items())

    def load_on(self, cluster: Cluster) -> float:
        """Expected offered load on a cluster."""
        return self.arrivals.per_hour / 3600 * self.mean_gpu_s / cluster.total_gpus

    def at_load(self, target: float, cluster: Cluster) -> "WorkloadSpec":
        """The same laws at the rate of arrivals with this expected load."""
        rate = self.arrivals.per_hour * target / self.load_on(cluster)
        return replace(self, arrivals=replace(self.arrivals, per_hour=rate))

    @np.errstate(all="ignore")
    def draw(self, jobs: int, seed: int) -> Jobs:
        """A table of jobs; more jobs of the same seed begin with the same ones.

        Args:
            jobs: how many.
            seed: master seed; arrivals, sizes and durations have streams of their own.
        """
        submit = self.arrivals.draw(jobs, seed)
        counts, shares = np.array(list(self.sizes)), np.array(list(self.sizes.values()))
        place = stream(seed, "workload", "sizes").random(jobs)
        gpus = counts[np.searchsorted(np.cumsum(shares)[:-1], place, side="right")]
        choice, place = (stream(seed, "workload", name).random(jobs) for name in ("parts", "durations"))
        duration = np.empty(jobs)
        floors = np.array(list(self.durations))
        law_of = np.searchsorted(floors, gpus, side="right") - 1
        for index, law in enumerate(self.durations.values()):
            mine = law_of == index
            duration[mine] = law.draw(choice[mine], place[mine])
        return Jobs.build(file="workload", submit_s=submit, gpus=gpus, duration_s=duration)


def read_spec(path: Path) -> WorkloadSpec:
    """Read the laws of a workload.

    Raises:
        InputError: naming the file, the key and the rule.
    """
    table = yaml_file(path)
    require_keys(table, ("arrivals", "sizes", "durations", "load"), path, "workload")
    for key in ("sizes", "durations"):
        if not isinstance(table.get(key), dict) or not table[key]:
            raise InputError("must be a mapping of numbers of GPUs", file=path, field=key)
    sizes = {
        _count(gpus, path, "sizes"): _number(w, path, f"sizes.{shown(gpus)}") for gpus, w in table["sizes"].items()
    }
    if min(sizes.values()) < 0 or not 0 < sum(sizes.values()) < math.inf:
        raise InputError("weights must be numbers of at least 0, one of them above", file=path, field="sizes")
    shares = {gpus: sizes[gpus] / sum(sizes.values()) for gpus in sorted(sizes)}
    laws = {
        _count(gpus, path, "durations"): _law(each, path, f"durations.{gpus}")
        for gpus, each in table["durations"].items()
    }
    if min(laws) != 1:
        raise InputError("the first law must hold from 1 GPU on", file=path, field="durations")
    load = table.get("load")
    given = table.get("arrivals", {})
    if (load is None) == (isinstance(given, dict) and "per_hour" not in given):
        raise InputError("either arrivals.per_hour or load must be given, not both", file=path, field="load")
    spec = WorkloadSpec(_arrivals(given, path), shares, {floor: laws[floor] for floor in sorted(laws)})
    return spec if load is None else _at_load(spec, load, path)


def drawn_trace(path: Path, jobs: int, seed: int) -> Trace:
    """A trace drawn from the laws of a file.

    Raises:
        InputError: as `read_spec`, or laws that give jobs which a trace may not hold.
    """
    limits.TABLE_ROWS.check(jobs, file="--jobs")
    spec = read_spec(path)
    try:
        drawn = spec.draw(jobs, seed)
    except InputError as error:
        raise InputError(error.rule, file=path, field=error.field) from None
    return Trace(drawn, {
        "name": path.stem, "format": "workload", "file": path.name,
        "sha256": digest(path, "sha256").partition(":")[2], "standin": True, "read": jobs, "kept": jobs, "dropped": {},
        "starts": "", "note": f"drawn from the laws of {path.name} with seed {seed}: not a record of real jobs",
        "limit": None,
    })  # fmt: skip


def _at_load(spec: WorkloadSpec, load: Any, path: Path) -> WorkloadSpec:
    require_keys(load, ("target", "cluster"), path, "load")
    target = _number(load.get("target"), path, "load.target")
    if not target > 0:
        raise InputError(f"must be above 0, found {shown(target)}", file=path, field="load.target")
    return spec.at_load(target, Cluster.parse(str(load.get("cluster", ""))))


def _arrivals(table: Any, path: Path) -> Arrivals:
    require_keys(table, [field.name for field in fields(Arrivals)], path, "arrivals")
    known: dict[str, Any] = {"per_hour": 1.0}
    for key, value in table.items():
        where = f"arrivals.{key}"
        if key == "bursts":
            known[key] = _made(Bursts, value, path, where)
        elif key.startswith("by_"):
            if not isinstance(value, list):
                raise InputError("must be a list of numbers", file=path, field=where)
            known[key] = tuple(_number(each, path, where) for each in value)
        else:
            known[key] = _number(value, path, where)
    return _checked(Arrivals, known, path, "arrivals")


def _law(table: Any, path: Path, where: str) -> DurationLaw:
    laws = (*DURATION_LAWS, _MIXTURE)
    name = table.get("law") if isinstance(table, dict) else None
    if name not in laws:
        raise InputError(f"must be a mapping with a law: {', '.join(laws)}", file=path, field=where)
    values = {key: value for key, value in table.items() if key != "law"}
    if name != _MIXTURE:
        return _made(DURATION_LAWS[name], values, path, where)
    require_keys(values, ("parts",), path, where)
    parts = values.get("parts")
    if not isinstance(parts, list) or not parts or not all(isinstance(part, dict) for part in parts):
        raise InputError("must be a list of laws, each with a weight", file=path, field=f"{where}.parts")
    weights = [_number(part.get("weight"), path, f"{where}.parts.weight") for part in parts]
    if min(weights) < 0 or not 0 < sum(weights) < math.inf:
        raise InputError("must be numbers of at least 0, one of them above", file=path, field=f"{where}.parts.weight")
    if any(part.get("law") == _MIXTURE for part in parts):
        raise InputError("a part of a mixture is no mixture", file=path, field=f"{where}.parts")
    made = [_law({k: v for k, v in part.items() if k != "weight"}, path, f"{where}.parts") for part in parts]
    return DurationMixture(tuple(weight / sum(weights) for weight in weights), tuple(made))


def _made(kind: Any, table: Any, path: Path, where: str) -> Any:
    names = [field.name for field in fields(kind)]
    require_keys(table, names, path, where)
    return _checked(kind, {key: _number(value, path, f"{where}.{key}") for key, value in table.items()}, path, where)


def _checked(kind: Any, values: dict[str, Any], path: Path, where: str) -> Any:
    try:
        return kind(**values)
    except InputError as error:
        raise InputError(error.rule, file=path, field=f"{where}.{error.field}") from None
    except TypeError:
        needed = ", ".join(field.name for field in fields(kind) if field.name not in values)
        raise InputError(f"is missing: {needed}", file=path, field=where) from None


def _number(value: Any, path: Path, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
        raise InputError(f"must be a number from 0 to {_MOST:g}, found {shown(value)}", file=path, field=where)
    return float(value)


def _count(value: Any, path: Path, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= limits.GPUS.most:
        rule = f"keys must be numbers of GPUs from 1 to {limits.GPUS.most:,}, found {shown(value)}"
        raise InputError(rule, file=path, field=where)
    return value
