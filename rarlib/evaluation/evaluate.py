"""Score a policy in a file: a first look, then every setting seed by seed until the budget of time is spent.

The score is the geometric mean, over settings and seeds, of the proven lower bound on the mean JCT
(`rarlib.bounds.lower_bounds`, closed forms) over the policy's mean JCT: 1 cannot be beaten. Ratios to baselines are
paired, since every policy has the same jobs; their intervals are those of `rarlib.arena.statistics`.
"""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rarlib.arena.statistics import compare_schedulers
from rarlib.bounds.lower_bounds import MEAN_JCT, largest_bound, lower_bounds
from rarlib.discovery import make_scheduler
from rarlib.evaluation.processes import BudgetOverError, PolicyLimits, PolicyProcesses
from rarlib.evaluation.remote import RemoteScheduler
from rarlib.evaluation.workloads import EVALUATION_SETTINGS, FIRST_LOOK, Drawn, EvaluationSetting
from rarlib.model import limits
from rarlib.model.errors import DecisionError, InputError
from rarlib.model.inputs import file_text
from rarlib.model.scheduler import Scheduler
from rarlib.simulator.engine import simulate

POLICY_BASELINES = ("fifo", "fifo-backfill", "sjf", "las", "srtf")
"""Schedulers that a policy is compared with."""
_FIRST_LOOK_S = 1.8
_FIRST_LOOK_LIMITS = PolicyLimits(answer_s=1.0, cpu_s=2)
_BOUND, _POLICY = "bound", "policy"


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation found.

    Attributes:
        failure: why the policy failed, in words; empty if it did not.
        seeds: seeds that every setting was run with; 0: it did not get beyond the first look.
        first_look_s: seconds that the first look took.
        score: geometric mean of bound over mean JCT, at most 1; nan without seeds.
        settings: one row for each setting: setting, mean_jct_s (geometric mean over seeds), over_bound (mean JCT over
            the bound), and a column for each baseline: mean JCT of the policy over that of the baseline.
        baselines: one row for each baseline: baseline, ratio (mean JCT of the policy over that of the baseline, all
            settings), low, high (95 % interval; nan with a single seed), distinguishable.
    """

    failure: str
    seeds: int
    first_look_s: float
    score: float
    settings: pd.DataFrame
    baselines: pd.DataFrame


def evaluate(
    path: str | Path,
    *,
    budget_s: float = 60.0,
    seeds: int = 8,
    trusted: bool = False,
    allowed: PolicyLimits | None = None,
    progress: Callable[[str], None] | None = None,
) -> Evaluation:
    """Evaluate the scheduler that a Python file defines, without trusting it.

    The file runs in processes of its own (`rarlib.evaluation.processes`), which can neither open files nor reach a
    network, and answer with decisions; the simulation and its result stay here.

    Args:
        path: the file; it defines one class with a method `decide`, as docs/add-a-scheduler.md says.
        budget_s: seconds for all runs of the policy and of the baselines, above 0.
        seeds: most seeds of each setting; the same seeds give the same numbers if the budget allows for them.
        trusted: do without confinement, for machines that have none.
        allowed: what a run of the policy may take; None: the default of `PolicyLimits`.
        progress: told in a line what is done.

    Raises:
        InputError: for a file that cannot be read, options out of range, or a machine that cannot confine it.
    """
    text = _read(Path(path))
    if not (budget_s > 0 and math.isfinite(budget_s)):
        raise InputError(f"must be a number of seconds above 0, found {budget_s}", file="--budget")
    if seeds < 1:
        raise InputError(f"must be at least 1, found {seeds}", file="--seeds")
    say = progress if progress is not None else lambda line: None
    name = Path(path).stem[: limits.TEXT.most]
    with PolicyProcesses(trusted=trusted) as processes:
        prepare_processes(processes)
        began = time.monotonic()
        failure = first_look(processes, name, text)
        took = time.monotonic() - began
        if failure:
            return _evaluation(failure, 0, took, [])
        say(f"first look: {took:.1f} s")
        _references(FIRST_LOOK.draw(0), 0)  # what has to be compiled for them is no part of the budget
        until, rows = time.monotonic() + budget_s, []
        run = partial(_run, processes, name, text, allowed or PolicyLimits())
        for seed in range(1, seeds + 1):
            try:
                rows += [row for each in EVALUATION_SETTINGS for row in _window(each, seed, run, until)]
            except BudgetOverError as error:
                if seed == 1:
                    return _evaluation(f"too slow: {error}: the budget of {budget_s:g} s was over", 0, took, [])
                return _evaluation("", seed - 1, took, rows)
            except (InputError, DecisionError) as error:
                return _evaluation(str(error), seed - 1, took, rows)
            say(f"seed {seed} of {seeds}")
    return _evaluation("", seeds, took, rows)


def prepare_processes(processes: PolicyProcesses) -> None:
    """Load, or compile, the simulator, and wait until policies can start: neither is part of a policy's time.

    Raises:
        InputError: if no process for policies can be started.
    """
    _mean_jct(FIRST_LOOK.draw(0), make_scheduler("srtf"), compiled=False)
    processes.ready()


def first_look(processes: PolicyProcesses, name: str, text: str, allowed: PolicyLimits = _FIRST_LOOK_LIMITS) -> str:
    """Run a policy on few jobs, in less than two seconds.

    Args:
        processes: where it is started (`prepare_processes`).
        name: what reasons call it.
        text: its source.
        allowed: what it may take.

    Returns:
        Why it fails; empty if it does not.
    """
    until = time.monotonic() + _FIRST_LOOK_S
    try:
        _run(processes, name, text, allowed, FIRST_LOOK.draw(0), 0, until)
    except BudgetOverError as error:
        return f"first look: {error}: {_FIRST_LOOK_S:g} s were over"
    except (InputError, DecisionError) as error:
        return f"first look: {error}"
    return ""


def _read(path: Path) -> str:
    """The text of a policy."""
    return file_text(path, limits.POLICY_BYTES)


def _run(
    processes: PolicyProcesses, name: str, text: str, allowed: PolicyLimits, drawn: Drawn, seed: int, until: float
) -> float:
    """Mean JCT of a policy on some jobs, s."""
    connect = partial(processes.start, limits=allowed, until=until)
    policy = RemoteScheduler(name, connect, text, seed)
    try:
        return _mean_jct(drawn, policy, seed)
    finally:
        policy.close()


def _window(
    setting: EvaluationSetting, seed: int, run: Callable[[Drawn, int, float], float], until: float
) -> list[tuple[str, int, str, float]]:
    """Setting, seed, scheduler and mean JCT of the policy, of the baselines, and of the bound."""
    drawn = setting.draw(seed)
    try:
        found = [(_POLICY, run(drawn, seed, until))]
    except BudgetOverError as error:
        raise BudgetOverError(f"setting {setting.name!r}, {error}") from None
    except (InputError, DecisionError) as error:
        raise InputError(f"setting {setting.name!r}, seed {seed}: {error}") from None
    return [(setting.name, seed, *each) for each in (*found, *_references(drawn, seed))]


def _references(drawn: Drawn, seed: int) -> list[tuple[str, float]]:
    """Mean JCT of every baseline, and the bound."""
    found = [(each, _mean_jct(drawn, make_scheduler(each), seed)) for each in POLICY_BASELINES]
    bounds = lower_bounds(drawn.jobs, drawn.cluster, drawn.cost.price(drawn.jobs, drawn.cluster), effort=0)
    return [*found, (_BOUND, largest_bound(bounds, MEAN_JCT).value_s)]


def _mean_jct(drawn: Drawn, scheduler: Scheduler, seed: int = 0, *, compiled: bool | None = None) -> float:
    run = simulate(drawn.jobs, drawn.cluster, scheduler, drawn.cost, seed=seed, compiled=compiled)
    return float(run.turnaround_s.mean())


def _evaluation(failure: str, seeds: int, took: float, rows: Iterable[tuple[Any, ...]]) -> Evaluation:
    frame = pd.DataFrame(rows, columns=["setup", "seed", "scheduler", "value"])
    frame = frame[frame["seed"] <= seeds].assign(experiment="", reading="", x_name="", x="", metric=MEAN_JCT)
    settings = pd.DataFrame(columns=["setting", "mean_jct_s", "over_bound", *POLICY_BASELINES])
    baselines = pd.DataFrame(columns=["baseline", "ratio", "low", "high", "distinguishable"])
    if frame.empty:
        return Evaluation(failure, 0, took, math.nan, settings, baselines)
    frame = frame.assign(log=np.log(frame["value"]))
    logs = frame.pivot_table(index=["setup", "seed"], columns="scheduler", values="log", sort=False)
    by_setting = logs.groupby("setup", sort=False).mean()
    settings = pd.DataFrame(
        {"setting": by_setting.index, "mean_jct_s": np.exp(by_setting[_POLICY].to_numpy())}
        | {"over_bound": np.exp((by_setting[_POLICY] - by_setting[_BOUND]).to_numpy())}
        | {name: np.exp((by_setting[_POLICY] - by_setting[name]).to_numpy()) for name in POLICY_BASELINES}
    )
    compared = compare_schedulers(frame, MEAN_JCT, by=("experiment",), strata=True)
    mine = compared[(compared["scheduler"] == _POLICY) & compared["rival"].isin(POLICY_BASELINES)]
    baselines = mine.rename(columns={"rival": "baseline"})[list(baselines.columns)].reset_index(drop=True)
    if seeds == 1:  # windows of different settings are no sample of anything
        baselines = baselines.assign(low=math.nan, high=math.nan, distinguishable=False)
    score = float(np.exp((by_setting[_BOUND] - by_setting[_POLICY]).mean()))
    return Evaluation(failure, seeds, took, score, settings, baselines)
