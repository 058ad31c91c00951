"""What Sia's paper does not state, and what each choice would bring out of Table 3 and of the testbed.

Every draw runs Sia and Gavel on one workload file of Table 3 (Philly) and on that of the testbed. The paper averages
Table 3 over ten files of a family; one file is compared here, so if no draw brings out a number, the file may be the
reason. The largest contention is left out, because the paper pools it over all files; so is Pollux, which takes ten
times as long. Nothing of this enters the headline.

Paper and artifact are those of `rarlib.schedulers.sia`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from artifact.papers.sia.inputs import Inputs
from artifact.unknowns import read_unknowns, table_of_draws
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.requested import DurationForecast
from rarlib.cost.goodput.step_time import StepTimes
from rarlib.cost.goodput.training import GoodputTraining
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.offers import Configurations
from rarlib.model.prices import Prices
from rarlib.model.scheduler import Scheduler
from rarlib.model.seeds import stream
from rarlib.presets.sia import as_coded, machines, measure, round_s
from rarlib.schedulers.gavel import Gavel
from rarlib.schedulers.sia import Sia
from rarlib.simulator.engine import Conventions, simulate

UNKNOWNS, HEADLINE = read_unknowns("sia")
"""The space, and the values of the headline."""

TABLE_3 = {
    "sia": {
        "avg_jct": "sia-110",
        "p99_jct": "sia-111",
        "makespan": "sia-112",
        "gpu_hours": "sia-113",
        "contention_mean": "sia-114",
    },
    "gavel": {
        "avg_jct": "sia-122",
        "p99_jct": "sia-123",
        "makespan": "sia-124",
        "gpu_hours": "sia-125",
        "contention_mean": "sia-126",
    },
}
"""Scheduler -> metric -> published number, for Philly."""
TESTBED = {"sia": "sia-291", "gavel": "sia-293"}
"""Scheduler -> its average completion time on the testbed, as the authors simulated it."""


class UncertainTraining(GoodputTraining):
    """Training in which Sia's estimates are wrong by a factor that stays the same for a job in a configuration."""

    noise: float = 0.0
    _factor: NDArray[np.float64] | None = None

    def goodputs(
        self, jobs: NDArray[np.int64], options: Configurations, *, shared_limits: bool = True
    ) -> NDArray[np.float64]:
        """As believed without noise, times the factor; see `GoodputTraining.goodputs`."""
        found = super().goodputs(jobs, options, shared_limits=shared_limits)
        if self.noise == 0.0:
            return found
        if self._factor is None:
            drawn = stream(0, "sia", "inference").standard_normal((len(self.restart_s), len(options.gpus)))
            self._factor = np.exp(self.noise * drawn)
        return np.asarray(found * self._factor[jobs])


@dataclass(frozen=True)
class UncertainCost(GoodputCost):
    """Prices in which what the paper leaves open about jobs is drawn.

    Attributes:
        parameters: a value for each of `UNKNOWNS`.
        shared: true iteration times, shared by all draws.
    """

    parameters: Mapping[str, Any] = field(default_factory=lambda: HEADLINE)
    shared: StepTimes | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shared is not None:
            object.__setattr__(self, "_times", self.shared)

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """As measured, with other delays."""
        prices = super().price(jobs, cluster)
        delay = self.parameters["restart"] * prices.restart_s
        return prices._replace(launch_s=delay + self.parameters["profiling"], restart_s=delay)

    def train(
        self, jobs: Jobs, cluster: Cluster, prices: Prices, scheduler: object, forecast: Forecast
    ) -> GoodputTraining:
        """Training with noisy estimates and other delays."""
        prices.server_s[:] = 0.0
        durations = DurationForecast(self.scale(jobs, cluster), forecast)
        training = UncertainTraining(jobs, cluster, prices, self.times, scheduler, durations)
        training.noise = float(self.parameters["noise"])
        training.restart_s = self.parameters["restart"] * training.restart_s
        if self.parameters["belief"] == "true":
            training.believed_restart_s = training.restart_s
        return training

    def scale(self, jobs: Jobs, cluster: Cluster) -> NDArray[np.float64]:
        """All jobs slower by the same factor."""
        return np.full(len(jobs), float(self.parameters["slower"]))


class SiaBench:
    """Workloads and tables that the draws share."""

    def __init__(self, inputs: Inputs, file: int | None, limit: int | None = None) -> None:
        """Take the workloads.

        `inputs`: profiles and workloads. `file`: number of the Philly file; None: the testbed alone is run. `limit`:
        first jobs of each file; None: all.
        """
        self._jobs = {"testbed": inputs.jobs("testbed", 1, limit)}
        if file is not None:
            self._jobs["heterogeneous"] = inputs.jobs("philly", file, limit)
        self._cost = GoodputCost(inputs.profiles, extended=False)

    def metrics(self, parameters: Mapping[str, Any], scheduler: str, cluster: str) -> dict[str, float]:
        """Metrics of one run.

        `parameters`: a value for each of `UNKNOWNS`; `scheduler`: `sia` or `gavel`; `cluster`: `heterogeneous` or
        `testbed`.
        """
        jobs, length_s = self._jobs[cluster], round_s(scheduler)
        run = simulate(
            jobs,
            machines(cluster),
            _scheduler(parameters, scheduler),
            UncertainCost(self._cost.profiles, parameters=parameters, shared=self._cost.times),
            quantum=length_s,
            conventions=Conventions(
                origin_s=jobs.origin_s if parameters["clock"] == "file" else 0.0,
                tick_s=parameters["tick"],
                free_moves=parameters["free moves"],
            ),
        )
        return {name: value for name, value, _ in measure(run, length_s)}

    def outcomes(self, parameters: Mapping[str, Any]) -> dict[str, float]:
        """What one set of parameters gives for each published number, by id.

        `parameters`: a value for each of `UNKNOWNS`.
        """
        found: dict[str, float] = {}
        for scheduler, ids in TABLE_3.items():
            metrics = self.metrics(parameters, scheduler, "heterogeneous")
            found |= {published: metrics[name] for name, published in ids.items()}
            found[TESTBED[scheduler]] = self.metrics(parameters, scheduler, "testbed")["avg_jct"]
        return found


def headline_parameters(three: pd.DataFrame, testbed: pd.DataFrame, file: int) -> dict[str, float]:
    """What the headline gives for each published number, by id, on the files of the draws.

    `three`: rows of table3. `testbed`: rows of the testbed. `file`: number of the Philly file; nan for its numbers if
    the table does not have it.
    """
    three = three[(three["seed"] == file) & (three["setup"] == "philly") & (three["reading"] == "headline")]
    testbed = testbed[(testbed["seed"] == 1) & (testbed["reading"] == "headline")]
    philly, physical = (table.set_index(["scheduler", "metric"])["value"] for table in (three, testbed))
    ours = {ids[name]: float(philly.get((who, name), np.nan)) for who, ids in TABLE_3.items() for name in ids}
    return ours | {number: float(physical.get((who, "avg_jct"), np.nan)) for who, number in TESTBED.items()}


def _scheduler(parameters: Mapping[str, Any], name: str) -> Scheduler:
    if name == "gavel":
        given = as_coded("gavel", 3) | {"phantom_rate": parameters["phantom"], "policy": parameters["policy"]}
        return Gavel(round_s=round_s("gavel"), **given)
    return Sia(
        p=parameters["p"],
        lam=parameters["lambda"],
        round_s=round_s("sia"),
        projection=parameters["projection"],
        batch_limit=parameters["batch limit"],
        share_max_replicas=parameters["shared limit"],
    )


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run the draws of a cell.

    `part`: `draws`; `member`: `sia`; `settings`: `draws`, `file` (number of the Philly file), `jobs` (first jobs of
    each file; None: all).

    Returns:
        Tidy rows as `artifact.unknowns.table_of_draws` makes them.

    Raises:
        InputError: an unknown table, no data, a missing workload.
    """
    if part != "draws":
        raise InputError(f"unknown table {part!r}; known: draws", field="cells")
    if data is None:
        raise InputError("needs profiles and workloads", field="reads")
    bench = SiaBench(Inputs.read(data), int(settings["file"]), settings["jobs"])
    draws = int(settings["draws"])
    return table_of_draws(UNKNOWNS, draws, bench.outcomes, experiment="sia-inference-draws", member=member)
