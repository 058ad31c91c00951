"""A few jobs of Sia's evaluation, simulated while a reader watches. Nothing is downloaded: stand-ins replace files."""

from collections.abc import Mapping
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from artifact.papers.sia.figures import live as figures
from artifact.papers.sia.inference import TESTBED, SiaBench
from artifact.papers.sia.inputs import Inputs, mixed, workload_source
from artifact.plot.published import published_value
from rarlib.cost.goodput.measured import load_profiles
from rarlib.cost.goodput.profiles import Profiles
from rarlib.model.jobs import Jobs
from rarlib.plot.style import look, mark
from rarlib.presets.sia import ROUND_S, Case, simulate_case
from rarlib.schedulers.sia import Sia
from rarlib.simulator.run import Run

COMPARED = ("sia", "gavel")
"""Pollux searches for seconds, even among a few jobs."""


@lru_cache(1)
def _profiles() -> Profiles:
    return load_profiles(network=False)


@lru_cache(16)
def _inputs(source: str) -> Inputs:
    return Inputs.at_hand(_profiles(), source)


class Few(NamedTuple):
    """The first jobs of a workload file, a share of them (percent) of a kind that adapts less, see `mixed`."""

    family: str
    file: int
    number: int
    kind: str = "adaptive"
    share: int = 0

    def jobs(self) -> Jobs:
        """The job table."""
        found = _inputs(workload_source(self.family, self.file)).jobs(self.family, self.file, self.number)
        return mixed(found, self.kind, self.share, self.file)


@lru_cache(256)
def simulated_jobs(scheduler: str, few: Few, cluster: str, length_s: float, **params: Any) -> Run:
    """One run, with parameters of the scheduler."""
    return simulate_case(Case(few.jobs(), cluster, scheduler, params, length_s), _profiles())


START: dict[str, Any] = {
    "family": "philly",
    "file": 6,
    "jobs": 24,
    "cluster": "heterogeneous",
    "kind": "rigid",
    "share": 0,
    "p": Sia.p,
    "lambda_": Sia.lam,
    "round_s": Sia.round_s,
    "bootstrap": Sia.bootstrap,
}
"""Controls of `one_workload`: the file (family philly, helios, newtrace, testbed, or rate-10 to rate-50), how many of
its first jobs, the cluster, the share (%) of jobs of a kind that adapts less (rigid or scale-gpus), Sia's parameters.
Under Gavel all jobs are rigid."""


def one_workload(printed: Mapping[str, float] | None = None, **controls: Any) -> Figure:
    """Figure of the first jobs of a workload file under Sia and Gavel.

    `printed`: scheduler -> published average completion time (h), if there is one; `controls`: values that differ from
    `START`.
    """
    at = SimpleNamespace(**{**START, **controls})
    few = Few(at.family, at.file, at.jobs)
    sia = {"p": at.p, "lam": at.lambda_, "bootstrap": at.bootstrap}
    runs = {
        "sia": simulated_jobs("sia", few._replace(kind=at.kind, share=at.share), at.cluster, at.round_s, **sia),
        "gavel": simulated_jobs("gavel", few, at.cluster, ROUND_S["gavel"]),
    }
    done = [
        pd.DataFrame({"scheduler": name, "jct": run.turnaround_s / 3600.0, "restarts": run.restarts})
        for name, run in runs.items()
    ]
    held = pd.concat([in_use(run).assign(scheduler=name) for name, run in runs.items()])
    figure = figures.completion_curves(pd.concat(done), held, printed or {})
    standin = _profiles().facts["standin"]
    mark(figure, ["STAND-IN DATA: drawn from statistics, not from the recorded data"] if standin else [])
    return figure


def in_use(run: Run) -> pd.DataFrame:
    """GPUs in use by type after every change: columns `type`, `time` (h), `gpus`."""
    kinds = np.array(run.cluster.gpu_type)[run.alloc_node]
    times = np.unique([0.0, *run.alloc_start, *run.alloc_end])
    rows = []
    for kind in dict.fromkeys(run.cluster.gpu_type):
        mine = kinds == kind
        change = np.zeros(len(times))
        np.add.at(change, np.searchsorted(times, run.alloc_start[mine]), run.alloc_gpus[mine])
        np.subtract.at(change, np.searchsorted(times, run.alloc_end[mine]), run.alloc_gpus[mine])
        rows.append(pd.DataFrame({"type": kind, "time": times / 3600.0, "gpus": np.cumsum(change)}))
    return pd.concat(rows, ignore_index=True)


def testbed_averages(published: pd.DataFrame) -> dict[str, float]:
    """Scheduler -> average completion time on the testbed that the authors simulated, h."""
    return {
        name: published_value(published, "sia", "physical 44 GPUs", look(name).label, "simulated avg JCT")
        for name in COMPARED
    }


def unstated(parameters: Mapping[str, Any]) -> dict[str, float]:
    """The testbed's average completion times under a value for each of `inference.UNKNOWNS`, by published number."""
    bench = SiaBench(_inputs("sia-physical"), None)
    return {ours: bench.metrics(parameters, scheduler, "testbed")["avg_jct"] for scheduler, ours in TESTBED.items()}
