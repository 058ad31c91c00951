"""Scenarios in which AITurbo is compared with other schedulers: the jobs, their arrivals and their predictions.

The evaluation of the paper (Zhao et al., HPDC 2021, doi 10.1145/3431379.3460639) is not public. Its abstract says that
jobs are replayed at the arrivals of production systems [ABS]; names of scenarios and ratios come from figures of a
later system [PLOT]. What is not known follows these rules, all [RECON]:

jobs        drawn from the statistics of the workload study [DATA]; each trains one of the models of [LAB]
arrivals    as many consecutive submissions of a recorded trace, from a random one on; all gaps are scaled by one factor
            so that requested GPU-seconds / (GPUs of the cluster x time from first to last submission) is the offered
            load; jobs that run on CPUs only request none
load        2, so that a queue builds up while jobs arrive: [LAB] submits 60 jobs within minutes
cluster     the testbed of [LAB]: 2 nodes of 2 GPUs and 32 cores; a GPU worker takes 5 cores along with its GPU, which
            leaves 4 CPU task slots on each node
predictions of steps and step times are off by a log-normal factor, by more for first than for repeated submissions;
            its spread brings the accuracy of predictions near the published one (0.99, 0.95, 0.91 with 25, 50, 75 %
            first submissions [PLOT])
guesses     an unpredictable job looks like a predictable one until it ends early, so its guessed length is drawn from
            predictable jobs; only a scheduler that needs a number for it reads the guess
short, long jobs that take less or more time than the median job, alone on what they request
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.parameter_server.dataset import read_statistics
from rarlib.cost.parameter_server.generator import sample_study, to_jobs
from rarlib.cost.parameter_server.models import models
from rarlib.cost.parameter_server.workload import NO_SWITCH, PsJobs
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream


class Scenario(NamedTuple):
    """One point of a comparison; a share that is None is that of the study.

    Attributes:
        setup: name of the comparison.
        x_name: what varies in it.
        x: its value, percent for shares.
        unpredictable: share of unpredictable jobs.
        first: share of first submissions.
        cpu_only: share of jobs without GPUs.
        error: standard deviation of the logarithm of the prediction error of all jobs; None: as in the settings.
        turning: share of the jobs unpredictable at first that turn predictable while they run [LAB].
        all_unknown: whether all jobs are unpredictable at first, as in [LAB].
        alike: whether unpredictable jobs last as long as predictable ones.
        guessed_speeds: whether the step times of an unpredictable job are guessed too: those of a model drawn at
            random.
        at_once: whether the jobs arrive one every 1 to 6 s, as in [LAB].
    """

    setup: str
    x_name: str = ""
    x: str = ""
    unpredictable: float | None = None
    first: float | None = None
    cpu_only: float | None = None
    error: float | None = None
    turning: float = 0.0
    all_unknown: bool = False
    alike: bool = False
    guessed_speeds: bool = False
    at_once: bool = False


MAIN = Scenario("study")


def mixes(shares: Sequence[int]) -> tuple[Scenario, ...]:
    """Shares of unpredictable jobs, of jobs on CPUs only and of first submissions, the last two as in [PLOT].

    The first and the last are without jobs on CPUs only, so that nothing else varies.

    `shares`: of unpredictable jobs, percent.
    """
    return (
        *(Scenario("class", "unpredictable", f"{s}", unpredictable=s / 100, cpu_only=0.0) for s in shares),
        *(Scenario("kind", "cpu_only", f"{s}", cpu_only=s / 100) for s in (0, 25)),
        *(Scenario("age", "first", f"{s}", first=s / 100, cpu_only=0.0) for s in (25, 50, 75)),
    )


TURNING = (0.09, 0.89)
"""Share of its steps after which a job turns predictable, from - to [LAB]."""

GAP_S = (1.0, 6.0)
"""Seconds between submissions, from - to [LAB]."""


class Instance(NamedTuple):
    """One random instance of a scenario."""

    workload: PsJobs
    jobs: Jobs
    load: float
    """Offered load: requested GPU-seconds over GPU-seconds of the cluster while jobs arrive; NaN: at once."""


def arrivals(submit_s: NDArray[np.float64], n: int, span_s: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Consecutive submissions of a trace, moved to start at 0 and scaled to a given time span.

    `n`: how many, at least 2; `span_s`: from the first to the last, s; windows in which all jobs are submitted at once
    are skipped.

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

    `scenario`: the point of the comparison; `settings`: `jobs`, `cluster`, `load`, `error_first`, `error_repeated`.
    """
    n = int(settings["jobs"])
    matters = scenario._replace(setup="", x_name="", x="", error=None, guessed_speeds=False, at_once=False)
    jobs, first, guessed_steps = _drawn(matters, n, seed)
    own = replace(_believed(jobs, first, _errors(scenario, settings), seed), guessed_steps=guessed_steps)
    if scenario.guessed_speeds:
        own = _as_another_model(own, stream(seed, "aiturbo", "speeds"))
    if scenario.at_once:
        gaps = stream(seed, "aiturbo", "gaps").uniform(*GAP_S, n)
        gaps[0] = 0.0
        return Instance(own, own.table(np.cumsum(gaps)), np.nan)
    asked = np.where(own.on_cpu, 0, own.workers) * own.steps * own.requested_step_s()
    gpus = Cluster.parse(settings["cluster"]).total_gpus
    load = float(settings["load"])
    submitted = arrivals(submit_s, n, float(asked.sum()) / (gpus * load), stream(seed, "aiturbo", "arrivals"))
    return Instance(own, own.table(submitted), load)


@lru_cache(1024)
def _drawn(scenario: Scenario, n: int, seed: int) -> tuple[PsJobs, NDArray[np.bool_], NDArray[np.float64]]:
    """Jobs drawn from the study, which of them are first submissions, and their guessed steps; all are read only."""
    found, rng = read_statistics(), stream(seed, "aiturbo", "jobs")
    shares = {"first": scenario.first, "cpu_only": scenario.cpu_only}
    guess = sample_study(found, n, stream(seed, "aiturbo", "guess"), unpredictable=0.0, **shares)
    if scenario.alike:
        frame = sample_study(found, n, rng, unpredictable=0.0, **shares)
        share = scenario.unpredictable if scenario.unpredictable is not None else _share_unpredictable()
        frame["unpredictable"] = np.where(stream(seed, "aiturbo", "classes").random(n) < share, 1.0, 0.0)
    else:
        frame = sample_study(found, n, rng, unpredictable=scenario.unpredictable, **shares)
    if scenario.all_unknown:
        frame["unpredictable"] = 1.0
    jobs = to_jobs(frame, stream(seed, "aiturbo", "models"), TURNING if scenario.turning else None)
    stays = stream(seed, "aiturbo", "turning").random(n) >= scenario.turning
    jobs = replace(jobs, switch=np.where((jobs.switch > 0.0) & stays, NO_SWITCH, jobs.switch))
    longer = guess["running_s"].to_numpy() / frame["running_s"].to_numpy()
    return jobs, frame["first"].to_numpy() == 1, jobs.steps * longer


def _share_unpredictable() -> float:
    """Share of unpredictable jobs in the study [DATA]."""
    jobs = np.array([each["jobs"] for each in read_statistics()["types"]], dtype=np.float64)
    return float(jobs[:, :, 1].sum() / jobs.sum())


def _as_another_model(own: PsJobs, rng: np.random.Generator) -> PsJobs:
    """The jobs; a scheduler that needs step times of an unpredictable one gets those of a model drawn at random."""
    number = rng.integers(0, len(models()), len(own))
    theta = np.array([models()[i].theta for i in number])
    theta[:, 0] *= np.array([models()[i].batch for i in number]) / own.batch
    return replace(own, predicted_theta=np.where(own.switch[:, None] > 0.0, theta, own.predicted_theta))


def _errors(scenario: Scenario, settings: Mapping[str, Any]) -> tuple[float, float]:
    """Standard deviation of the logarithm of the prediction error, for repeated and for first submissions."""
    if scenario.error is not None:
        return scenario.error, scenario.error
    return float(settings["error_repeated"]), float(settings["error_first"])


def _believed(own: PsJobs, first: NDArray[np.bool_], errors: tuple[float, float], seed: int) -> PsJobs:
    """The jobs with errors in their predictions, larger ones for first submissions."""
    old, new = (own.mispredicted(stream(seed, "aiturbo", "errors"), error) for error in errors)
    return replace(
        own,
        predicted_theta=np.where(first[:, None], new.predicted_theta, old.predicted_theta),
        predicted_steps=np.where(first, new.predicted_steps, old.predicted_steps),
    )
