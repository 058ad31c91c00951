"""What the simulator asks of a cost model."""

from typing import Protocol, runtime_checkable

from rarlib.fabric.links import SharedLinks
from rarlib.model.cluster import Cluster
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices
from rarlib.model.scheduler import Scheduler
from rarlib.model.training import Training


class CostModel(Protocol):
    """Anything that can price jobs on a cluster."""

    @property
    def name(self) -> str:
        """Name of the cost model, for the record."""

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """The price table of all jobs on this cluster, computed once for a run."""


@runtime_checkable
class LinkedModel(CostModel, Protocol):
    """A cost model of jobs that share the links of a fabric (`rarlib.cost.linked`)."""

    @property
    def grade(self) -> str:
        """How the times of jobs are found: "law", or "flow" to follow their phases."""

    def links(self, cluster: Cluster, prices: Prices) -> SharedLinks:
        """The links, relative to what the price table assumes.

        Raises:
            InputError: if the fabric does not have the cluster's servers, or a row has a limit that the law has not.
        """

    def link_names(self) -> list[str]:
        """Names of the links, in their order."""


@runtime_checkable
class TrainingModel(CostModel, Protocol):
    """A cost model of jobs whose iteration time changes while they run."""

    def admit(self, jobs: Jobs, cluster: Cluster) -> Jobs:
        """The jobs with the limits and durations that follow from their applications.

        Raises:
            InputError: if a job cannot run on this cluster; names the job and the reason.
        """

    def train(self, jobs: Jobs, cluster: Cluster, prices: Prices, scheduler: Scheduler, forecast: Forecast) -> Training:
        """The training that writes rows of `prices` during the run."""
