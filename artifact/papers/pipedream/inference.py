"""What each choice of PipeDream's open ends brings out in Table 1 and section 5: a run of a set of choices.

The numbers are the speed-ups of all rows of Table 1 with a pipeline, and of section 5 those over model parallelism and
over hybrid parallelism without pipelining, GPipe's losses, the bytes saved, and what data parallelism communicates.
Speed-ups to an accuracy are left out, since a run has no number of epochs. Nothing is random.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from artifact.papers.pipedream.choices import Machines, cut_in, system_in
from artifact.papers.pipedream.placed import data_parallel_s, launched, placed
from artifact.papers.pipedream.schedules import overhead, saved_percent
from artifact.papers.pipedream.setups import SCHEDULE_ROWS, TABLE_1
from rarlib.pipeline.comparison import largest_flush
from rarlib.pipeline.graph import from_json, to_json
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.profiles import MEASURED, Profile, load_profile
from rarlib.pipeline.schedule import PipelineSchedule, gpipe, model_parallel, one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from rarlib.pipeline.zoo.models import profile
from rarlib.pipeline.zoo.network import TITAN_X, V100

SPEEDUPS = {
    "VGG-16 4x4 A": "pipedream-343",
    "VGG-16 2x8 B": "pipedream-346",
    "AlexNet 4x4 A": "pipedream-355",
    "AlexNet 2x8 B": "pipedream-357",
    "GNMT-16 1x4 A": "pipedream-359",
    "GNMT-16 4x4 A": "pipedream-362",
    "GNMT-16 2x8 B": "pipedream-365",
    "GNMT-8 1x4 A": "pipedream-368",
    "GNMT-8 3x4 A": "pipedream-371",
    "AWD-LM 1x4 A": "pipedream-377",
    "S2VT 4x1 C": "pipedream-380",
}
"""Row of Table 1 -> id of its speed-up over data parallelism."""
UNPIPELINED = {"VGG-16 1x4 A": "pipedream-384", "AlexNet 1x4 A": "pipedream-385"}
HYBRID = {"VGG-16 1x4 A": "pipedream-386"}
FLUSHED = {"GNMT-16 4x4 A": "pipedream-387", "GNMT-16 2x8 B": "pipedream-388"}
LEAST_FLUSHED = {"GNMT-16 4x4 A": "pipedream-389", "GNMT-16 2x8 B": "pipedream-390"}
SAVED = {"AWD-LM 1x4 A": "pipedream-391", "S2VT 4x1 C": "pipedream-392"}
_OVERHEAD = "pipedream-393"

RUN_LENGTH = 96
"""Minibatches of a run at least; half of them are steady state in pipelines of at most 16 workers."""


class Bench:
    """All plans and schedules that the draws share."""

    def __init__(self, profiles: Mapping[str, Any], machines: Machines | None = None) -> None:
        """Plan each row under both prices.

        `machines`: give the nominal rates, of which the draws take shares, and that of the authors' program.
        """
        self._machines = machines or Machines()
        tables = (row for table in (TABLE_1, SCHEDULE_ROWS) for several in table.values() for row in several)
        self._rows = {row.label: self._machines.rated(row) for row in tables}
        self._plans: dict[tuple[str, str], tuple[Plan, Plan]] = {}
        self._schedules: dict[tuple[Any, ...], PipelineSchedule] = {}
        for label in (*SPEEDUPS, *UNPIPELINED):
            row = self._rows[label]
            graph, straight = from_json(profiles[row.profile]), (1,) * row.workers
            for cut in ("published", "as-coded"):
                printed = cut_in(cut, graph, row.printed, row, self._machines)
                same = row.printed == straight
                self._plans[label, cut] = (
                    printed,
                    printed if same else cut_in(cut, graph, straight, row, self._machines),
                )

    def outcomes(self, values: Mapping[str, Any], *, only_fitted: bool = False) -> dict[str, float]:
        """What one set of choices gives for each published number, by id.

        `values`: a value for each unknown; `pipelined` false: one minibatch at a time. `only_fitted`: the speed-ups of
        cluster A only.

        Returns:
            Values by id, and under `alive` the share of the pipelines of cluster A that are faster than data
            parallelism.
        """
        found, on_a = {}, []
        for label in (*SPEEDUPS, *(() if only_fitted else UNPIPELINED)):
            row = self._rows[label]
            if only_fitted and not label.endswith(" A"):
                continue
            system = system_in(values, row)
            run = launched(self._plans[label, values["cut"]][0], row, system)
            pipeline = placed(run, row, system)
            kind = "1f1b" if values.get("pipelined", True) else "model-parallel"
            pace = self._period(pipeline, kind)
            if label in SPEEDUPS:
                found[SPEEDUPS[label]] = data_parallel_s(run, row, system) / pace
                on_a += [found[SPEEDUPS[label]]] if label.endswith(" A") else []
            if not only_fitted:
                found |= self._section_5(label, values, run, pipeline, pace)
        return {name: found[name] for name in sorted(found)} | {"alive": sum(each > 1.0 for each in on_a) / len(on_a)}

    def _section_5(
        self, label: str, values: Mapping[str, Any], run: Plan, pipeline: Pipeline, pace: float
    ) -> dict[str, float]:
        row, system, found = self._rows[label], system_in(values, self._rows[label]), {}
        if label in UNPIPELINED:
            straight = placed(launched(self._plans[label, values["cut"]][1], row, system), row, system)
            found[UNPIPELINED[label]] = self._period(straight, "model-parallel") / pace
        if label in HYBRID:
            found[HYBRID[label]] = self._period(pipeline, "model-parallel") / pace
        if label in FLUSHED:
            again = pipeline.backward_s + (pipeline.forward_s if values["recompute"] else 0.0)
            flushed = replace(pipeline, backward_s=again)
            largest = largest_flush(pipeline, self._machines.memory)
            for name, flush in ((FLUSHED[label], pipeline.stages), (LEAST_FLUSHED[label], largest)):
                found[name] = 100.0 * (1.0 - pace / self._period(flushed, "gpipe", flush)) if flush else float("nan")
        if label in SAVED:
            found[SAVED[label]] = saved_percent(run)
        if label == "GNMT-16 4x4 A":
            found[_OVERHEAD] = 100.0 * overhead(run, row, 32, system)
        return found

    def _period(self, pipeline: Pipeline, kind: str, flush: int = 1) -> float:
        replicas = tuple(int(count) for count in pipeline.replicas)
        if (replicas, kind, flush) not in self._schedules:
            step = flush * max(replicas)
            count = step * max(2, -(-RUN_LENGTH // step))
            made = {"1f1b": one_f_one_b, "model-parallel": model_parallel}
            self._schedules[replicas, kind, flush] = (
                gpipe(replicas, count, flush) if kind == "gpipe" else made[kind](replicas, count)
            )
        return simulate_pipeline(pipeline, self._schedules[replicas, kind, flush]).period_s()


@cache
def profile_of(name: str) -> Profile:
    """A layer profile of Table 1: the measured one if it is at hand, else the analytic one; nothing is downloaded."""
    if name.startswith(MEASURED):
        return load_profile(name, network=False)
    return Profile(profile(name, device=TITAN_X if name == "s2vt" else V100), name, "analytic", "analytic")


@cache
def recorded_bench() -> Bench:
    """The profiles that are at hand, see `profile_of`."""
    names = {row.profile for table in (TABLE_1, SCHEDULE_ROWS) for rows in table.values() for row in rows}
    return Bench({name: to_json(profile_of(name).graph) for name in sorted(names)})


def outcomes(values: Mapping[str, Any], seed: int = 0, only_fitted: bool = False) -> dict[str, float]:
    """What a set of choices gives for each published number, see `Bench.outcomes`.

    `seed`: ignored, nothing is random; `only_fitted`: the speed-ups of cluster A only.
    """
    return recorded_bench().outcomes(values, only_fitted=only_fitted)
