"""What only a run on a fabric needs: links before the first job is on them, and their record afterwards."""

from typing import Any

import numpy as np
import pandas as pd

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.prices import Prices
from rarlib.simulator.cost_models import CostModel, LinkedModel
from rarlib.simulator.link_sharing import LinkState, link_state
from rarlib.simulator.link_traffic import account_all
from rarlib.simulator.run import NO_LINKS, LinkFrames
from rarlib.simulator.state import State

_BUSIEST = 8
"""Links whose load over time is recorded."""


def link_state_of(cost: CostModel, jobs: Jobs, cluster: Cluster, prices: Prices) -> LinkState | None:
    """Links before the first job is on them; None where contention is counted by server."""
    if not isinstance(cost, LinkedModel):
        return None
    return link_state(cost.links(cluster, prices), len(jobs), int(cluster.gpus.sum()))


def is_phased(cost: CostModel, clock: dict[str, Any]) -> bool:
    """Whether the phases of jobs are to be followed.

    Args:
        cost: the cost model.
        clock: quantum, whole slots and tick of the run.

    Raises:
        InputError: if ends of jobs are moved, so that progress would not be what the phases say.
    """
    if not isinstance(cost, LinkedModel) or cost.grade != "flow":
        return False
    if clock["whole_slots"] or clock["tick_s"] > 0.0:
        raise InputError("grade flow follows every phase; it knows no whole slots and no tick", field="grade")
    return True


def link_frames(cost: CostModel, links: LinkState | None, state: State) -> LinkFrames:
    """What the links carried, as `links` and `link_load` of `rarlib.simulator.run.Run`."""
    if links is None or not isinstance(cost, LinkedModel):
        return NO_LINKS
    account_all(links.traffic, links.sharing, links.on, state)
    traffic, names = links.traffic, cost.link_names()
    sums = {"carried_s": traffic.carried_s, "contention_s": traffic.contention_s}
    frame = pd.DataFrame({"link": names, **sums})
    busiest = np.argsort(-traffic.carried_s, kind="stable")[:_BUSIEST]
    busiest = busiest[traffic.carried_s[busiest] > 0.0]
    bin_s, bins = float(traffic.bin_s[0]), traffic.load_s.shape[1]
    load = pd.DataFrame(traffic.load_s[busiest].T / bin_s, columns=[names[link] for link in busiest])
    load.insert(0, "start_s", np.arange(bins) * bin_s)
    load = load[load["start_s"] < float(state.run[0].now)]
    return LinkFrames(frame[frame["carried_s"] > 0.0].reset_index(drop=True), load)
