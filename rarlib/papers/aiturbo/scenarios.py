"""Scenarios in which AITurbo is compared with other schedulers: the jobs, their arrivals and their predictions.

The evaluation of the paper (Zhao et al., HPDC 2021, doi 10.1145/3431379.3460639) is not public. Its abstract says that
jobs are replayed at the arrivals of production systems [ABS]; names of scenarios and ratios come from figures of a
later system [PLOT]. What is not known follows these rules, all [RECON]:

jobs        drawn from the statistics of the workload study [DATA]; each trains one of the models of [LAB]
arrivals    as many consecutive submissions of a recorded trace, from a random one on; all gaps are scaled by one factor
            so that requested GPU-seconds / (GPUs of the cluster x time from first to last submission) is the offered
            load; jobs that run on CPUs only request none
load        2, so that a queue builds up while jobs arrive: [LAB] submits 60 jobs within minutes; the table `load`
            varies it
cluster     the testbed of [LAB]: 2 nodes of 2 GPUs and 32 cores; a GPU worker takes 5 cores along with its GPU, which
            leaves 4 CPU task slots on each node
predictions of steps and step times are off by a log-normal factor, by more for first than for repeated submissions;
            its spread brings the accuracy of predictions near the published one (0.99, 0.95, 0.91 with 25, 50, 75 %
            first submissions [PLOT])
guesses     an unpredictable job looks like a predictable one until it ends early, so its guessed length is drawn from
            predictable jobs; only a scheduler that needs a number for it reads the guess
short, long jobs that take less or more time than the median job, alone on what they request
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.parameter_server.workload import PsJobs
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.papers.aiturbo.dataset import read_statistics
from rarlib.papers.aiturbo.generator import sample_study, to_jobs

ERRORS = (0.01, 0.15)
"""Standard deviation of the logarithm of the prediction error, for repeated and for first submissions."""


class Scenario(NamedTuple):
    """One point of a comparison; a share that is None is that of the study.

    Attributes:
        setup: name of the comparison.
        x_name: what varies in it.
        x: its value, percent for shares.
        unpredictable: share of unpredictable jobs.
        first: share of first submissions.
        cpu_only: share of jobs without GPUs.
        load: offered load; None: as in the settings.
        error: as in `ERRORS`, for all jobs; None: `ERRORS`.
        on_gpus: whether all workers run on GPUs, whatever was requested.
    """

    setup: str
    x_name: str = ""
    x: str = ""
    unpredictable: float | None = None
    first: float | None = None
    cpu_only: float | None = None
    load: float | None = None
    error: float | None = None
    on_gpus: bool = False


MAIN = Scenario("study")

MIXES = (
    *(Scenario("class", "unpredictable", f"{s}", unpredictable=s / 100, cpu_only=0.0) for s in (0, 25, 50, 75, 100)),
    *(Scenario("kind", "cpu_only", f"{s}", cpu_only=s / 100) for s in (0, 25)),
    *(Scenario("age", "first", f"{s}", first=s / 100, cpu_only=0.0) for s in (25, 50, 75)),
)
"""Shares of unpredictable jobs, of jobs on CPUs only and of first submissions [PLOT]; the first and the last without
jobs on CPUs only, so that nothing else varies."""


class Instance(NamedTuple):
    """One random instance of a scenario."""

    workload: PsJobs
    jobs: Jobs
    load: float
    """Offered load: requested GPU-seconds over GPU-seconds of the cluster while jobs arrive."""


def arrivals(submit_s: NDArray[np.float64], n: int, span_s: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Consecutive submissions of a trace, moved to start at 0 and scaled to a given time span.

    Args:
        submit_s: submissions of the trace, ascending.
        n: how many to take, at least 2.
        span_s: time from the first to the last, s.
        rng: random generator, one draw; windows in which all jobs are submitted at once are skipped.

    Raises:
        InputError: the trace has no such window.
    """
    if len(submit_s) < n or submit_s[0] == submit_s[-1]:
        raise InputError(f"the trace has no {n} submissions at different times", field="reads")
    starts = np.flatnonzero(submit_s[n - 1 :] > submit_s[: len(submit_s) - n + 1])
    first = int(starts[rng.integers(len(starts))])
    window = submit_s[first : first + n] - submit_s[first]
    return np.asarray(window * (span_s / window[-1]))


def draw_scenario(
    scenario: Scenario, seed: int, settings: Mapping[str, Any], submit_s: NDArray[np.float64]
) -> Instance:
    """Draw an instance; all scenarios of a seed share their random numbers.

    Args:
        scenario: the point of the comparison.
        seed: of the instance.
        settings: `jobs`, `cluster`, `load`.
        submit_s: submissions of the trace.
    """
    n, found = int(settings["jobs"]), read_statistics()
    shares = {"first": scenario.first, "cpu_only": scenario.cpu_only}
    frame = sample_study(found, n, stream(seed, "aiturbo", "jobs"), unpredictable=scenario.unpredictable, **shares)
    alike = sample_study(found, n, stream(seed, "aiturbo", "guess"), unpredictable=0.0, **shares)
    own = to_jobs(frame, stream(seed, "aiturbo", "models"))
    if scenario.on_gpus:
        own = replace(own, on_cpu=np.zeros(n, np.bool_))
    own = _believed(own, frame["first"].to_numpy() == 1, scenario, seed)
    longer = alike["running_s"].to_numpy() / frame["running_s"].to_numpy()
    own = replace(own, guessed_steps=own.steps * longer)
    asked = np.where(own.on_cpu, 0, own.workers) * own.steps * own.requested_step_s()
    gpus = Cluster.parse(settings["cluster"]).total_gpus
    load = float(settings["load"]) if scenario.load is None else scenario.load
    submitted = arrivals(submit_s, n, float(asked.sum()) / (gpus * load), stream(seed, "aiturbo", "arrivals"))
    return Instance(own, own.table(submitted), load)


def _believed(own: PsJobs, first: NDArray[np.bool_], scenario: Scenario, seed: int) -> PsJobs:
    """The jobs with errors in their predictions, larger ones for first submissions."""
    errors = ERRORS if scenario.error is None else (scenario.error, scenario.error)
    old, new = (own.mispredicted(stream(seed, "aiturbo", "errors"), error) for error in errors)
    return replace(
        own,
        predicted_theta=np.where(first[:, None], new.predicted_theta, old.predicted_theta),
        predicted_steps=np.where(first, new.predicted_steps, old.predicted_steps),
    )
