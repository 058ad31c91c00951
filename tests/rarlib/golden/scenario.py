"""A transcript as a file: the jobs, cluster, cost model and scheduler it names, and the run that they give."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import yaml

from rarlib.cost.contention import sharing_factors
from rarlib.cost.ring import RingCost
from rarlib.cost.table import linear_speedup, price_table
from rarlib.cost.trace import ReservedCost, TraceCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Allocation, Decision, Placement, Start, Stop, Wake
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.offers import Offers
from rarlib.simulator.engine import Conventions, simulate
from tests.named import Named

FOLDER = Path(__file__).parent


def read(path: Path) -> dict[str, Any]:
    """The sections of a transcript."""
    given: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert given.keys() <= {
        "about", "cluster", "jobs", "cost", "scheduler", "options", "conventions", "forecast", "log", "totals",
        "refused",
    }  # fmt: skip
    return given


def jobs_of(given: dict[str, Any]) -> Jobs:
    """The jobs of a transcript."""
    rows = given["jobs"]
    return Jobs.build(**{name: [row[name] for row in rows] for name in rows[0]})


def play(given: dict[str, Any], learned: Callable[[list[int]], None], **options: Any) -> Any:
    """Run a transcript's scenario; `learned` is told the rows of the jobs from which a training learns."""
    jobs, cluster = jobs_of(given), Cluster.named("cluster", given["cluster"], as_written=True)
    scheduler = scheduler_of(given, jobs, cluster)
    if "forecast" in given:
        options["forecast"] = Forecast(np.array(given["forecast"], float), np.ones(len(jobs), np.bool_))
    options |= given.get("options", {}) | {"conventions": Conventions(**given.get("conventions", {}))}
    run = simulate(jobs, cluster, scheduler, _cost(given.get("cost", {"trace": {}}), learned), **options)
    assert not getattr(scheduler, "script", {}), "the run ended before the script did"
    return run


def scheduler_of(given: dict[str, Any], jobs: Jobs, cluster: Cluster) -> Any:
    """The scheduler that a transcript names, or the one that follows its script."""
    ((name, params),) = given["scheduler"].items()
    if name != "script":
        return make_scheduler(name, params)
    rows = {str(job): row for row, job in enumerate(jobs.job_id)}
    return Script({float(at): [_decision(text, rows, cluster) for text in said] for at, said in params.items()})


@dataclass
class Script(Named):
    """Says in the pass at a given time what it was told to say."""

    uses_cpu: ClassVar[bool] = True
    script: dict[float, list[Decision]] = field(default_factory=dict)

    def decide(self, view: Any) -> Iterator[Decision]:
        yield from self.script.pop(view.now_s, [])


def _placement(text: str) -> Placement:
    return tuple((int(node), int(gpus)) for node, gpus in re.findall(r"node (\d+) x(\d+)", text))


def _decision(text: str, rows: dict[str, int], cluster: Cluster) -> Decision:
    verb, rest = text.split(" ", 1)
    if verb == "wake":
        return Wake(float(rest))
    named = {rows[job]: _placement(on) for job, on in re.findall(r"job (\w+)(?: on ([^,]+?))?(?= and |$)", rest)}
    if verb == "allocate":
        gpus = np.zeros((len(named), cluster.nodes), np.int64)
        for row, placement in zip(gpus, named.values(), strict=True):
            for node, count in placement:
                row[node] = count
        return Allocation(np.array(list(named)), gpus)
    ((job, placement),) = named.items()
    return {"start": Start(job, placement), "stop": Stop(job)}[verb]


@dataclass
class Written:
    """A price table written down; elastic jobs progress in proportion to their GPUs."""

    name: ClassVar[str] = "written"
    columns: dict[str, Any]

    def price(self, jobs: Jobs, cluster: Cluster) -> Any:
        curve, speedup = linear_speedup(jobs, cluster)
        return price_table(jobs, cluster, work=jobs.duration_s, curve=curve, speedup=speedup, **self.columns)


@dataclass
class Phased:
    """Jobs in phases: columns of the price table, each valid until so much work is done; f(p) = p. Its own training."""

    name: ClassVar[str] = "phased"
    offers: ClassVar[Offers] = Offers()
    phases: dict[str, list[dict[str, float]]]
    learned: Callable[[list[int]], None]

    def admit(self, jobs: Jobs, cluster: Cluster) -> Jobs:
        return jobs

    def price(self, jobs: Jobs, cluster: Cluster) -> Any:
        most = int(cluster.gpus.max())
        return price_table(jobs, cluster, work=jobs.duration_s, sharing=sharing_factors(most, 0.0, 1.0))

    def train(self, jobs: Jobs, cluster: Cluster, prices: Any, scheduler: Any, forecast: Any) -> "Phased":
        self._names, self._prices = jobs.job_id, prices
        return self

    def begin(self, job: int, placement: Placement, variant: int, done: float) -> None:
        self.renew(job, done)

    def renew(self, job: int, done: float) -> bool:
        row = next(row for row in self.phases[self._names[job]] if done < row.get("until", np.inf))
        for name, value in ({"until": np.inf} | row).items():
            getattr(self._prices, name)[job] = value
        return True

    def progressed(self, jobs: Any) -> None:
        self.learned(jobs.tolist())


def _cost(given: dict[str, Any], learned: Callable[[list[int]], None]) -> Any:
    ((name, params),) = given.items()
    if name == "prices":
        return Written(params)
    if name == "phases":
        return Phased(params, learned)
    return {"trace": TraceCost, "ring": RingCost, "reserved": ReservedCost}[name](**params)
