"""What the exact mode and the fast law say of the trials."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from rarlib.fabric.case import BYTES_PER_GBIT, SendingJob, SharedCase, job_times, run_case
from rarlib.fabric.law import law_space, law_times
from rarlib.fabric.rings import Flow
from rarlib.fabric.sharing import everybody
from tools.sockets.measure import rows_of
from tools.sockets.plan import EXCHANGE_BYTES, SEND_S, Trial, computing
from tools.sockets.ring import Exchange

STARTS = 16
_APART_S = 0.005
"""The exact mode runs from this many starts, in which jobs begin up to so many seconds apart, as processes do."""


def compared(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of all trials with two more columns: `exact_s` and `law_s`, mean seconds as in `iteration_s`.

    The link is as fast as a job alone on the same queue found it. The law knows no phases, so it says nothing where
    they are fixed (nan).

    Args:
        rows: columns of `Trial` and `JobRow`; jobs of a trial beside one another.
    """
    alone = rows[rows["phases"] == "alone"].groupby("queue")["iteration_s"].mean()
    exact, law = [], []
    for trial in dict.fromkeys(trials_of(rows)):
        send_s = float(alone[trial.queue])
        exact += exact_times(trial, send_s)
        law += law_means(trial, send_s)
    return rows.assign(exact_s=exact, law_s=law)


def trials_of(rows: pd.DataFrame) -> list[Trial]:
    """The trial of each row."""
    return [Trial(*row) for row in rows[list(Trial._fields)].itertuples(index=False, name=None)]


def case_of(trial: Trial, send_s: float, starts: Sequence[float]) -> SharedCase:
    """The trial as the exact mode runs it; with fixed phases, one exchange of each job.

    Args:
        trial: the trial.
        send_s: seconds of an exchange alone.
        starts: when jobs begin besides, s, shape (jobs,).
    """
    fixed = trial.phases == "fixed"
    flow = Flow(EXCHANGE_BYTES, {"there": 1, "back": 1})
    iterations = 1 if fixed else 4 + int(2.0 * trial.span_s / (trial.compute_s + send_s))
    jobs = [
        SendingJob(
            str(job),
            trial.compute_s,
            start_s + (job * trial.shift * SEND_S if fixed else 0.0),
            iterations,
            (flow,),
            noise=trial.noise,
            seed=trial.seed(job),
        )
        for job, start_s in enumerate(starts)
    ]
    gbps = EXCHANGE_BYTES / send_s / BYTES_PER_GBIT
    return SharedCase(str(trial), {"there": gbps, "back": gbps}, jobs, leave=fixed)


def exact_times(trial: Trial, send_s: float) -> list[float]:
    """Mean seconds of an iteration of each job, of an exchange with fixed phases, as a mean over starts."""
    rng = np.random.default_rng(trial.seed(0))
    if trial.phases == "fixed":
        case = case_of(trial, send_s, [0.0] * trial.jobs)
        return [times.mean_iteration_s for times in job_times(case, run_case(case))]
    found = [
        _from_start(case_of(trial, send_s, rng.uniform(0.0, _APART_S, trial.jobs).tolist()), trial)
        for _ in range(STARTS)
    ]
    return [float(mean) for mean in np.mean(found, axis=0)]


def _from_start(case: SharedCase, trial: Trial) -> list[float]:
    """Seconds of an iteration of each job, counted as in a trial."""
    ends = run_case(case).ends.reshape(trial.jobs, -1)
    jobs = []
    for number, (job, own) in enumerate(zip(case.jobs, ends, strict=True)):
        drawn = computing(trial.compute_s, trial.noise, trial.seed(number))
        begins = [before + c for before, c in zip([job.start_s, *own], drawn, strict=False)][: len(own)]
        last = next(at for at, begin in enumerate(begins) if begin >= trial.span_s)
        jobs.append([Exchange(*at) for at in zip(begins, begins, own, strict=True)][: last + 1])
    return [row.iteration_s for row in rows_of(trial, jobs, 0.0, 0.0)]


def law_means(trial: Trial, send_s: float) -> list[float]:
    """Mean seconds of an iteration of each job by the fast law; nan with fixed phases."""
    if trial.phases == "fixed":
        return [float("nan")] * trial.jobs
    sharing = everybody(case_of(trial, send_s, [0.0] * trial.jobs))
    return [float(value) for value in law_times(sharing, np.ones(trial.jobs, np.bool_), law_space(sharing))]
