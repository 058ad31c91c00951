"""The settings in which policies are evaluated: small clusters, drawn jobs, ring all-reduce with contention.

Every setting stands for one difficulty; its laws are stated here and no number in it is fitted to anything. Jobs are
rigid. A seed draws the same jobs for every policy (common random numbers).
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from rarlib.cost.ring import RingCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.simulator.cost_models import CostModel
from rarlib.traces.laws.arrivals import Arrivals, Bursts
from rarlib.traces.laws.durations import BoundedPareto, DurationLaw, LogNormal
from rarlib.traces.laws.spec import WorkloadSpec


class Drawn(NamedTuple):
    """What a setting gives for a seed."""

    jobs: Jobs
    cluster: Cluster
    cost: CostModel


@dataclass(frozen=True)
class EvaluationSetting:
    """A setting: its name in tables, the difficulty in words, and the laws of cluster, jobs and cost.

    `load` is the expected offered load; `sizes` gives GPUs of a job -> probability.
    """

    name: str
    what: str
    cluster: str = "8x4"
    load: float = 0.8
    sizes: tuple[tuple[int, float], ...] = ((1, 0.5), (2, 0.25), (4, 0.15), (8, 0.1))
    durations: DurationLaw = field(default_factory=lambda: LogNormal(600.0, 1.5))
    bursts: Bursts | None = None
    batch_mean: float = 1.0
    cost: RingCost = field(default_factory=RingCost)
    jobs: int = 100

    def draw(self, seed: int) -> Drawn:
        """Jobs, cluster and cost model of a seed."""
        cluster = Cluster.parse(self.cluster)
        arrivals = Arrivals(per_hour=1.0, bursts=self.bursts, batch_mean=self.batch_mean)
        spec = WorkloadSpec(arrivals, dict(self.sizes), {1: self.durations}).at_load(self.load, cluster)
        number = int(stream(seed, "evaluation", self.name).integers(2**31))
        return Drawn(spec.draw(self.jobs, number), cluster, self.cost)


FIRST_LOOK = EvaluationSetting("first look", "few jobs, to see whether it works at all", cluster="2x4", jobs=25)

EVALUATION_SETTINGS = (
    EvaluationSetting("steady", "independent arrivals at a load of 0.8"),
    EvaluationSetting("bursts", "ten times the arrivals in a fifth of the time", bursts=Bursts(7200.0, 1800.0, 10.0)),
    EvaluationSetting("overload", "more work arrives than the cluster can do", load=1.5),
    EvaluationSetting("heavy tail", "few jobs hold most of the work", durations=BoundedPareto(60.0, 100_000.0, 0.9)),
    EvaluationSetting(
        "large gangs",
        "gangs span servers and slow one another down",
        sizes=((1, 0.3), (4, 0.2), (6, 0.3), (12, 0.2)),
        cost=RingCost(share=0.3),
    ),
    EvaluationSetting("batches", "twelve jobs arrive together, on average", batch_mean=12.0),
)
"""The settings of an evaluation, in the order of its tables."""
