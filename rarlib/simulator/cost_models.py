"""What the simulator asks of a cost model."""

from typing import Any, Protocol, runtime_checkable

from rarlib.model.cluster import Cluster
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices
from rarlib.model.scheduler import Scheduler
from rarlib.model.training import Training
from rarlib.simulator.run import LinkFrames
from rarlib.simulator.state import State


class CostModel(Protocol):
    """Anything that can price jobs on a cluster."""

    @property
    def name(self) -> str:
        """Name of the cost model, for the record."""

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """The price table of all jobs on this cluster, computed once for a run."""


class RunLinks(Protocol):
    """Jobs of a run on links that they share; a cost model brings them (`rarlib.cost.links`)."""

    @property
    def tables(self) -> Any:
        """What compiled code needs of them."""

    def look_ahead(self, state: State, prices: Prices) -> None:
        """Set the rates of jobs that came, went or changed, before time goes on."""

    def frames(self, state: State) -> LinkFrames:
        """What the links carried up to the end of the run, for `rarlib.simulator.run.Run`."""


@runtime_checkable
class LinkedModel(CostModel, Protocol):
    """A cost model of jobs that share the links of a fabric (`rarlib.cost.linked`)."""

    def run_links(self, jobs: int, cluster: Cluster, prices: Prices) -> RunLinks:
        """The links before the first job is on them.

        Raises:
            InputError: if the fabric does not have the cluster's servers, or a row has a limit that the law has not.
        """


@runtime_checkable
class EpochTraining(Training, Protocol):
    """A training that goes on from epoch to epoch in compiled code (`rarlib.cost.goodput.epochs`)."""

    def skip_epochs(self, state: State, prices: Prices, links: RunLinks | None) -> int:
        """As `rarlib.simulator.clock.open_instant`, again and again, while nothing but ends of epochs happens."""


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
