"""The links of a run whose rates follow the law, and the record of links afterwards."""

import numpy as np
import pandas as pd

from rarlib.cost.links.link_sharing import LinkState, renew_rates
from rarlib.cost.links.link_traffic import account_all
from rarlib.model.prices import Prices
from rarlib.simulator.run import LinkFrames
from rarlib.simulator.state import State

_BUSIEST = 8
"""Links whose load over time is recorded."""


class LawLinks:
    """Jobs of a run on links, by the law.

    Args:
        tables: the links before the first job is on them.
        names: of the links, in their order.
    """

    def __init__(self, tables: LinkState, names: list[str]) -> None:
        self.tables, self._names = tables, names

    def look_ahead(self, state: State, prices: Prices) -> None:
        """See `rarlib.simulator.cost_models.RunLinks`."""
        if state.run[0].changed:
            renew_rates(self.tables, state, prices, float(state.run[0].now))

    def frames(self, state: State) -> LinkFrames:
        """See `rarlib.simulator.cost_models.RunLinks`."""
        links, names = self.tables, self._names
        account_all(links.traffic, links.sharing, links.on, state)
        traffic = links.traffic
        sums = {"carried_s": traffic.carried_s, "contention_s": traffic.contention_s}
        frame = pd.DataFrame({"link": names, **sums})
        busiest = np.argsort(-traffic.carried_s, kind="stable")[:_BUSIEST]
        busiest = busiest[traffic.carried_s[busiest] > 0.0]
        bin_s, bins = float(traffic.bin_s[0]), traffic.load_s.shape[1]
        load = pd.DataFrame(traffic.load_s[busiest].T / bin_s, columns=[names[link] for link in busiest])
        load.insert(0, "start_s", np.arange(bins) * bin_s)
        load = load[load["start_s"] < float(state.run[0].now)]
        return LinkFrames(frame[frame["carried_s"] > 0.0].reset_index(drop=True), load)
