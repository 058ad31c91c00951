"""A hybrid-parallel job: its throughput by number of pipelines, and the GPUs that Sia gives it over time.

Sia, section 3.6 and its figure of a 2.8 billion parameter GPT: a pipeline has a fixed number of GPUs on each type (2
A100s, 8 RTX 2080Tis), and the job takes whole pipelines. The exchange of gradients was measured on few nodes; its
time is linear in the number of pipelines, and is extrapolated here.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.applications import application
from rarlib.cost.goodput.profiles import Profiles
from rarlib.model.jobs import Jobs
from rarlib.presets.sia import Case, simulate_case
from rarlib.records.tidy import Row

GPT = "gpt_pmp"


def throughput(profiles: Profiles, kind: str, pipelines: NDArray[np.int64]) -> NDArray[np.float64]:
    """Samples per second for each number of pipelines, shape (numbers,)."""
    app, steps = application(GPT), profiles.of(GPT, kind)
    compute = 3.0 * steps.step_s.min() * (app.stages[kind] - 1 + app.microbatches)
    slope, first = np.polyfit(steps.replicas / app.stages[kind], steps.sync_s, 1)
    return np.asarray(pipelines * app.microbatches / (compute + first + slope * pipelines))


def growth(profiles: Profiles, largest: int, linear: float) -> Iterator[Row]:
    """Throughput by type and number of GPUs, and whether it grows linearly on all types.

    `largest`: GPUs up to which growth is judged; `linear`: fraction of ideal growth from which growth counts as linear.
    """
    least = 1.0
    for kind, stages in application(GPT).stages.items():
        pipelines = np.arange(1, largest // stages + 1)
        speed = throughput(profiles, kind, pipelines)
        part = speed / (speed[0] * pipelines)
        least = min(least, float(part.min()))
        for number, samples, efficiency in zip(pipelines.tolist(), speed, part, strict=True):
            yield (kind, "headline", "gpus", str(number * stages), 0, "throughput", float(samples), "samples/s")
            yield (kind, "headline", "gpus", str(number * stages), 0, "efficiency", float(efficiency), "1")
    yield ("all", "headline", "gpus", str(largest), 0, "linear", float(least >= linear), "1")


def with_gpt(jobs: Jobs) -> Jobs:
    """The jobs of a workload file, and a GPT that is submitted with the first of them."""
    gpt: dict[str, Any] = {
        "job_id": "gpt",
        "gpus": 16,
        "duration_s": 1.0,
        "application": GPT,
        "batch_size": 0,
        "adaptivity": "adaptive",
    }
    columns: dict[str, Any] = {name: [*getattr(jobs, name).tolist(), value] for name, value in gpt.items()}
    return Jobs.build(submit_s=np.append(jobs.submit_s, 0.0) + jobs.origin_s, **columns)


def throughput_over_time(case: Case, profiles: Profiles) -> Iterator[Row]:
    """GPUs of a GPT that joins a case, by type whenever they change, hours since its submission."""
    run = simulate_case(case._replace(jobs=with_gpt(case.jobs)), profiles)
    gpt = int(np.flatnonzero(run.jobs.application == GPT)[0])
    mine = run.alloc_job == gpt
    kinds = np.array(run.cluster.gpu_type)[run.alloc_node[mine]]
    times = np.unique(np.concatenate([run.alloc_start[mine], run.alloc_end[mine]]))
    for time in times.tolist():
        here = (run.alloc_start[mine] <= time) & (time < run.alloc_end[mine])
        for kind in application(GPT).stages:
            gpus = float(run.alloc_gpus[mine][here & (kinds == kind)].sum())
            yield ("over-time", "headline", "time_h", f"{time / 3600.0:.4f}", 0, f"gpus_{kind}", gpus, "GPU")


def hybrid_rows(
    jobs: Jobs, profiles: Profiles, settings: Mapping[str, Any], params: Mapping[str, Any]
) -> Iterator[Row]:
    """Rows of `growth`, then of `throughput_over_time` under Sia.

    `jobs`: of a workload file, which the GPT joins; `settings`: `gpus` and `linear` (see `growth`), `cluster`,
    `round_s`; `params`: of Sia.
    """
    yield from growth(profiles, settings["gpus"], settings["linear"])
    yield from throughput_over_time(
        Case(jobs, settings["cluster"], "sia", params, float(settings["round_s"])), profiles
    )
