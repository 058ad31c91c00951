"""One run of the arena: a scheduler on a window of a trace, with the prices that all schedulers share.

Every scheduler sees the same jobs, the same predictions and the same prices (`rarlib.cost.goodput`, with a network and
recorded durations), and knows as much of the jobs' speeds as all others (`artifact.arena.knowledge`). Schedulers that
work in rounds or slots decide only at multiples of these, as in their papers; the others decide at every event and
whenever they ask to be woken (`entrant`). Where contention is `links`, jobs share the links that the
cluster describes (`rarlib.cost.linked`), and the fast law prices the run.
"""

from collections.abc import Mapping
from typing import Any

from artifact.arena.inputs import ArenaInputs
from artifact.arena.settings import LINKS, UNPREDICTABLE, Setting
from artifact.arena.workload import Workload, forecast
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.profiles import Profiles
from rarlib.cost.linked import cluster_shape, laid_out, on_fabric
from rarlib.discovery import make_scheduler, parameters, scheduler_class
from rarlib.model.cluster import Cluster
from rarlib.model.forecast import Forecast
from rarlib.model.scheduler import Scheduler
from rarlib.simulator.cost_models import CostModel
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run

EVERYWHERE: dict[str, Any] = {"placement": "one-type", "replan": "events"}
"""Set wherever a scheduler has such a parameter: gangs do not span GPU types or servers without need; a planner plans
again when its plan turns out wrong."""

OF_ONE: dict[str, dict[str, Any]] = {"shockwave": {"fair": "age", "k": 0.0, "replan": "rounds", "unsolved": "longest"}}
"""Set for one scheduler: Shockwave in the form of Sia's comparison, as when the arena's statements were written."""


def entrant(name: str) -> Scheduler:
    """A fresh scheduler for one run of the arena; docs/arena.md has the reasons for its parameters."""
    own = parameters(scheduler_class(name))
    general = {key: value for key, value in EVERYWHERE.items() if key in own}
    return make_scheduler(name, general | OF_ONE.get(name, {}))


def workload_of(arena: ArenaInputs, setting: Setting, window: int, cluster: Cluster, *, overload: bool) -> Workload:
    """The workload of a setting and window."""
    return arena.workload(setting.trace, window, float(setting.load), cluster, allow_overload=overload)


def forecast_of(workload: Workload, setting: Setting, window: int) -> Forecast:
    """The predictions of the jobs' lengths, the same for all schedulers."""
    if setting.error == UNPREDICTABLE:
        return forecast(workload, 0.0, setting.trace, window, unpredictable=1.0)
    return forecast(workload, float(setting.error), setting.trace, window)


def prices_of(setting: Setting, profiles: Profiles) -> GoodputCost:
    """The cost model of a setting."""
    return GoodputCost(profiles, setting.network, recorded=True, knowledge=setting.knowledge)


def play_match(
    who: str | Scheduler, workload: Workload, predicted: Forecast, cost: CostModel, cluster: Cluster, setting: Setting
) -> tuple[Run, Mapping[str, Any]]:
    """Run a scheduler on a workload.

    Returns:
        The run, and the facts that `Record.of` needs besides.
    """
    scheduler = entrant(who) if isinstance(who, str) else who
    if setting.contention == LINKS:
        shape = cluster_shape(cluster)
        cost, cluster = on_fabric(cost, shape), laid_out(cluster, shape)
    quantum = float(getattr(scheduler, "round_s", getattr(scheduler, "slot_s", 0.0)))
    run = simulate(
        workload.jobs, cluster, scheduler, cost, quantum=quantum, restart_s=setting.restart_s, forecast=predicted
    )
    return run, {"quantum_s": quantum, "origin_s": 0.0}
