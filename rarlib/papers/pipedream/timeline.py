"""Timelines of several schedules on two plans: every pass of a short run, and the time per minibatch of a long one.

In the tidy rows `reading` is the kind of operation, `memory` (first replica of each stage, event after event) or
`summary`; `x_name` names the keys in `x`, separated by slashes. `rarlib.plot.timeline.spread` reads them back.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from rarlib.model.errors import InputError
from rarlib.pipeline import comparison
from rarlib.pipeline.graph_json import from_json
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.planner import Options, plan_pipeline
from rarlib.pipeline.run import PipelineRun
from rarlib.pipeline.schedule import PipelineSchedule, full_warm_up, gpipe, model_parallel, noam, one_f_one_b
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from rarlib.records.tidy import TIDY_COLUMNS

MINIBATCHES = 16
"""Length of the short run: start-up, some steady state, drain."""

_UNITS = {"bytes": "B", "in_flight": "1", "versions": "1", "bubble": "1"}
"""Units of all metrics that are not in seconds."""


def pictured(profiles: Mapping[str, Any]) -> dict[str, Plan]:
    """Two plans on four workers with 10 Gbps between them: the planner's choice for VGG-16, a straight one for GNMT-8.

    Args:
        profiles: the profile set, as `profile_set` writes it.
    """
    chosen = {"VGG-16": ("pipedream-vgg16", False), "GNMT-8": ("pipedream-gnmt", True)}
    return {
        setup: plan_pipeline(from_json(profiles[name]), (4,), (1.25e9,), Options(straight=only))
        for setup, (name, only) in chosen.items()
    }


def timeline_rows(schedule: str, plans: Mapping[str, Plan]) -> pd.DataFrame:
    """One schedule on each plan.

    GPipe flushes after as many minibatches as 1F1B has in flight, so that both have the same number in flight.

    Args:
        schedule: `1f1b`, `1f1b-full` (a warm-up that hides all transfers), `gpipe` or `model-parallel`.
        plans: set-up -> plan; the plan's configuration is appended to the set-up.

    Raises:
        InputError: for another schedule.
    """
    if schedule not in SCHEDULE_KINDS:
        raise InputError(f"unknown schedule {schedule!r}; known: {', '.join(SCHEDULE_KINDS)}", field="member")
    order, pace = SCHEDULE_KINDS[schedule]
    frames = []
    for setup, plan in plans.items():
        pipeline = Pipeline.of(plan)
        rows = _rows(simulate_pipeline(pipeline, order(pipeline, MINIBATCHES)), pace(pipeline))
        frames.append(rows.assign(setup=f"{setup}, {plan.configuration}"))
    table = pd.concat(frames, ignore_index=True)
    return table.assign(experiment="pipedream-timeline", scheduler=schedule, seed=0)[TIDY_COLUMNS]


def _rows(run: PipelineRun, period_s: float) -> pd.DataFrame:
    operations = run.operations()
    memory = run.memory()
    memory = memory[memory["replica"] == 0].assign(reading="memory")
    memory["event"] = memory.groupby("stage").cumcount()
    busy = float(run.pipeline.compute_s.sum()) / (run.pipeline.workers * period_s)
    summary = pd.DataFrame(
        {"reading": ["summary"], "minibatches": [comparison.ENOUGH], "period_s": [period_s], "bubble": [1.0 - busy]}
    )
    return pd.concat(
        [
            _tidy(
                operations.assign(reading=operations["kind"].astype(str)),
                ("stage", "replica", "minibatch", "version"),
                ("start_s", "end_s"),
            ),
            _tidy(memory, ("stage", "replica", "event"), ("time_s", "in_flight", "versions", "bytes")),
            _tidy(summary, ("minibatches",), ("period_s", "bubble")),
        ]
    )


def _tidy(frame: pd.DataFrame, keys: Sequence[str], metrics: Sequence[str]) -> pd.DataFrame:
    texts = frame[list(keys)].astype(str).agg("/".join, axis=1)
    table = frame.assign(x_name="/".join(keys), x=texts)
    table = table.melt(id_vars=["reading", "x_name", "x"], value_vars=list(metrics), var_name="metric")
    return table.assign(unit=table["metric"].map(_UNITS).fillna("s"))


def _replicas(pipeline: Pipeline) -> list[int]:
    return [int(count) for count in pipeline.replicas]


def _in_flight(pipeline: Pipeline) -> int:
    """Minibatches that 1F1B admits before the first one has finished."""
    return noam(_replicas(pipeline)) * int(pipeline.replicas[0])


SCHEDULE_KINDS: dict[str, tuple[Callable[[Pipeline, int], PipelineSchedule], Callable[[Pipeline], float]]] = {
    "1f1b": (lambda pipeline, count: one_f_one_b(_replicas(pipeline), count), comparison.one_f_one_b_s),
    "1f1b-full": (
        lambda pipeline, count: one_f_one_b(_replicas(pipeline), count, full_warm_up(pipeline)),
        comparison.full_one_f_one_b_s,
    ),
    "gpipe": (
        lambda pipeline, count: gpipe(_replicas(pipeline), count, _in_flight(pipeline)),
        lambda pipeline: comparison.gpipe_s(pipeline, _in_flight(pipeline)),
    ),
    "model-parallel": (
        lambda pipeline, count: model_parallel(_replicas(pipeline), count),
        comparison.model_parallel_s,
    ),
}
"""Name -> order of the passes, seconds per minibatch in steady state."""
