"""What the machines and the software of Table 1 would have to be: draws of the unstated parameters, a run for each.

Every draw is one set of parameters for all rows. Its distance from the paper is computed by
`rarlib.evidence.inference`; nothing of it enters the headline. The numbers are the speed-ups of all rows of Table 1
with a pipeline, and of section 5 those over model parallelism, GPipe's losses at depth NOAM, and the bytes saved.
Speed-ups to accuracy are left out, since a run has no number of epochs; so are GPipe's losses at the largest depth,
which depend on the memory that the framework leaves.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from rarlib.model.unknowns import Unknown, draw_parameters, draw_rows
from rarlib.papers.pipedream.placed import System, data_parallel_s, launched, placed
from rarlib.papers.pipedream.schedules import overhead, saved_percent
from rarlib.papers.pipedream.setups import SCHEDULE_ROWS, TABLE_1, TableRow
from rarlib.papers.pipedream.systems import CODED, SMALL, HeadlineSystem
from rarlib.pipeline.graph_json import from_json
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.planner import Options, plan_configuration
from rarlib.pipeline.schedule import PipelineSchedule, gpipe, one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from rarlib.records.tidy import tidy

UNKNOWNS = (
    Unknown("between", 0.1, 1.0, "log", says="share of the nominal rate between servers; only the rate is stated"),
    Unknown("inside", 0.1, 1.0, "log", says="share of 10 or 25 GB/s inside a server, which are our assumption"),
    Unknown("latency", 1e-6, 1e-3, "log", says="seconds before the first byte of a message; not stated"),
    Unknown("overlap", scale="choice", choices=(True, False), says="data parallelism hides its exchange; not stated"),
    Unknown("one_ring", scale="choice", choices=(True, False), says="a ring through all GPUs, or servers reduce first"),
    Unknown("neighbours", scale="choice", choices=(True, False), says="transfers between neighbours stay in a server"),
    Unknown("cut", scale="choice", choices=("published", "as-coded"), says="Table 1 prints replicas, not layers"),
    Unknown("speed", 0.5, 2.0, "log", says="of a V100 over the GPU of the measured profiles, which is not named"),
    Unknown("computed", 0.5, 2.0, "log", says="of the GPUs over our model of them, for profiles that are computed"),
    Unknown("minibatch", 0.125, 1.0, "log", says="of AWD-LM and S2VT, over 80 samples per GPU; not stated"),
    Unknown("recompute", scale="choice", choices=(True, False), says="GPipe repeats forward passes; not stated"),
)
"""The space: what the paper does not state, with prior ranges."""

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
FLUSHED = {"GNMT-16 4x4 A": "pipedream-387", "GNMT-16 2x8 B": "pipedream-388"}
SAVED = {"AWD-LM 1x4 A": "pipedream-391", "S2VT 4x1 C": "pipedream-392"}
_OVERHEAD = "pipedream-393"

RUN_LENGTH = 96
"""Minibatches of a run; half of them are steady state in pipelines of at most 16 workers."""


class Bench:
    """All plans and schedules that the draws share."""

    def __init__(self, profiles: Mapping[str, Any], headline: HeadlineSystem | None = None) -> None:
        """Plan each row under both prices.

        Args:
            profiles: the profile set.
            headline: gives the nominal rates, of which the draws take shares, and that of the authors' program.
        """
        headline = headline or HeadlineSystem()
        tables = (row for table in (TABLE_1, SCHEDULE_ROWS) for several in table.values() for row in several)
        self._rows = {row.label: headline.rated(row) for row in tables}
        self._plans: dict[tuple[str, str], tuple[Plan, Plan]] = {}
        self._schedules: dict[tuple[int, ...], PipelineSchedule] = {}
        for label in (*SPEEDUPS, *UNPIPELINED):
            row = self._rows[label]
            graph, straight = from_json(profiles[row.profile]), (1,) * row.workers
            prices = {"published": (row.bandwidth[-1], Options()), "as-coded": (headline.default_rate, CODED)}
            for cut, (rate, options) in prices.items():
                printed = plan_configuration(graph, row.printed, rate, options)
                other = printed if row.printed == straight else plan_configuration(graph, straight, rate, options)
                self._plans[label, cut] = printed, other

    def outcomes(self, parameters: Mapping[str, Any]) -> dict[str, float]:
        """What one set of parameters gives for each published number, by id.

        Args:
            parameters: by name, as `UNKNOWNS`.
        """
        found = {}
        for label in (*SPEEDUPS, *UNPIPELINED):
            row, system = self._rows[label], _system(self._rows[label], parameters)
            printed, straight = self._plans[label, parameters["cut"]]
            run = launched(printed, row, system)
            pipeline = placed(run, row, system)
            pace = self._pace(pipeline)
            if label in SPEEDUPS:
                found[SPEEDUPS[label]] = data_parallel_s(run, row, system) / pace
            if label in UNPIPELINED:
                alone = placed(launched(straight, row, system), row, system)
                found[UNPIPELINED[label]] = float(alone.compute_s.sum() + 2.0 * alone.transfer_s.sum()) / pace
            if label in FLUSHED:
                flushed = self._flushed(pipeline, recompute=parameters["recompute"])
                found[FLUSHED[label]] = 100.0 * (1.0 - pace / flushed)
            if label in SAVED:
                found[SAVED[label]] = saved_percent(run)
            if label == "GNMT-16 4x4 A":
                found[_OVERHEAD] = 100.0 * overhead(run, row, 32, system)
        return found

    def _pace(self, pipeline: Pipeline) -> float:
        replicas = tuple(int(count) for count in pipeline.replicas)
        if replicas not in self._schedules:
            self._schedules[replicas] = one_f_one_b(replicas, -(-RUN_LENGTH // max(replicas)) * max(replicas))
        return simulate_pipeline(pipeline, self._schedules[replicas]).period_s()

    def _flushed(self, pipeline: Pipeline, *, recompute: bool) -> float:
        """GPipe with as many minibatches between flushes as there are stages."""
        stages = pipeline.stages
        if (stages, 0) not in self._schedules:
            self._schedules[stages, 0] = gpipe([1] * stages, -(-RUN_LENGTH // stages) * stages, stages)
        again = pipeline.backward_s + (pipeline.forward_s if recompute else 0.0)
        return simulate_pipeline(replace(pipeline, backward_s=again), self._schedules[stages, 0]).period_s()


def _system(row: TableRow, parameters: Mapping[str, Any]) -> System:
    measured = row.profile.startswith("pipedream-")
    return System(
        between=parameters["between"],
        inside=parameters["inside"] if row.cluster.gpus > 1 else parameters["between"],
        overlap=parameters["overlap"],
        one_ring=parameters["one_ring"],
        neighbours=parameters["neighbours"],
        speed=parameters["speed" if measured else "computed"],
        minibatch=parameters["minibatch"] if row.profile in SMALL else 1.0,
        latency_s=parameters["latency"],
    )


def inference_rows(profiles: Mapping[str, Any], draws: int, headline: HeadlineSystem | None = None) -> pd.DataFrame:
    """A table of draws, rows as `rarlib.model.unknowns.draw_rows` makes them.

    Args:
        profiles: the profile set.
        draws: number of parameter sets.
        headline: see `Bench`.
    """
    bench = Bench(profiles, headline)
    found: list[tuple[Any, ...]] = []
    for number, parameters in enumerate(draw_parameters(UNKNOWNS, draws).to_dict("records")):
        named = {str(name): value for name, value in parameters.items()}
        found += draw_rows(UNKNOWNS, number, named, bench.outcomes(named))
    return tidy(found, "pipedream-inference", "prior")
