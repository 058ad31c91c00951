"""Timelines of several schedules on two plans: every pass of a short run, and the time per minibatch of a long one.

In the tidy rows `reading` is the kind of operation, `memory` (first replica of each stage, event after event) or
`summary`; `x_name` names the keys in `x`, separated by slashes. `rarlib.plot.timeline.spread` reads them back.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from rarlib.model.errors import InputError
from rarlib.pipeline import comparison
from rarlib.pipeline.graph import from_json
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.planner import Options, plan_pipeline
from rarlib.pipeline.run import PipelineRun
from rarlib.pipeline.schedule import PipelineSchedule, full_warm_up, gpipe, model_parallel, one_f_one_b, warm_up
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from rarlib.records.tidy import TIDY_COLUMNS

_UNITS = {"bytes": "B", "in_flight": "1", "versions": "1", "bubble": "1"}
"""Units of all metrics that are not in seconds."""


def pictured(profiles: Mapping[str, Any], workers: int, rate: float) -> dict[str, Plan]:
    """Two plans: the planner's choice for VGG-16, a straight one for GNMT-8.

    `workers` GPUs on one level, `rate` bytes per second between them.

    Raises:
        InputError: if no plan fits.
    """
    chosen = {"VGG-16": ("pipedream-vgg16", False), "GNMT-8": ("pipedream-gnmt", True)}
    return {
        setup: plan_pipeline(from_json(profiles[name]), (workers,), (rate,), Options(straight=only))
        for setup, (name, only) in chosen.items()
    }


def timeline_rows(
    schedule: str, plans: Mapping[str, Plan], minibatches: int, *, extra: int = 0, flush: int | None = None
) -> pd.DataFrame:
    """One schedule on each plan.

    Args:
        schedule: `1f1b`, `1f1b-full` (a warm-up that hides all transfers), `gpipe` or `model-parallel`.
        plans: set-up -> plan; the plan's configuration is appended to the set-up.
        minibatches: length of the run that is drawn.
        extra: minibatches that each worker of 1F1B admits beyond its warm-up, for every boundary that is still to
            come, so that they can be in transfer; may be negative.
        flush: GPipe's minibatches between flushes; None: as many as 1F1B has in flight.

    Raises:
        InputError: for another schedule.
    """
    if schedule not in SCHEDULE_KINDS:
        raise InputError(f"unknown schedule {schedule!r}; known: {', '.join(SCHEDULE_KINDS)}", field="member")
    frames = []
    for setup, plan in plans.items():
        pipeline = Pipeline.of(plan)
        order, period_s = SCHEDULE_KINDS[schedule](pipeline, minibatches, extra, flush)
        rows = _rows(simulate_pipeline(pipeline, order), period_s)
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


def _depths(pipeline: Pipeline, extra: int) -> list[int]:
    """Warm-up of each stage."""
    depths, last = warm_up(_replicas(pipeline)), pipeline.stages - 1
    return [max(0, depth + extra * (last - stage)) for stage, depth in enumerate(depths)]


_Made = tuple[PipelineSchedule, float]
"""Order of the passes, and seconds per minibatch in steady state."""


def _one_f_one_b(pipeline: Pipeline, count: int, depths: Sequence[int]) -> _Made:
    return one_f_one_b(_replicas(pipeline), count, depths), comparison.one_f_one_b_s(pipeline, depths)


def _gpipe(pipeline: Pipeline, count: int, extra: int, flush: int | None) -> _Made:
    replicas = _replicas(pipeline)
    flush = flush or (_depths(pipeline, extra)[0] + 1) * replicas[0]
    return gpipe(replicas, count, flush), comparison.gpipe_s(pipeline, flush)


SCHEDULE_KINDS: dict[str, Callable[[Pipeline, int, int, int | None], _Made]] = {
    "1f1b": lambda pipeline, count, extra, _: _one_f_one_b(pipeline, count, _depths(pipeline, extra)),
    "1f1b-full": lambda pipeline, count, *_: _one_f_one_b(pipeline, count, full_warm_up(pipeline)),
    "gpipe": _gpipe,
    "model-parallel": lambda pipeline, count, *_: (
        model_parallel(_replicas(pipeline), count),
        comparison.model_parallel_s(pipeline),
    ),
}
"""Name -> schedule of so many minibatches, with the extra ones of 1F1B and the flush of GPipe."""
