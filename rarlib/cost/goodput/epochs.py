"""From pass to pass under a training by epochs, whose ends are by far the most frequent events of such a run."""

from rarlib.cost.goodput.descent import Space
from rarlib.cost.goodput.progress import FINE, TrainingState, bring_price, has_space, renew
from rarlib.cost.links.link_sharing import LinkState, renew_rates
from rarlib.model.jit import hot_kernel
from rarlib.model.prices import Prices
from rarlib.simulator import progress
from rarlib.simulator.clock import EXPIRY, NO_PASS, open_instant
from rarlib.simulator.state import State

FAILED = -1


@hot_kernel
def skip_epochs(s: State, prices: Prices, w: TrainingState, space: Space, links: LinkState | None) -> int:
    """As `open_instant`, again and again, with new rows of prices at the ends of epochs, while nothing else happens.

    Returns:
        What happened last. `EXPIRY`, if the training needs more space to note what is observed of that job. `FAILED`,
        if the row of job `s.run[0].expired` could not be renewed.
    """
    while True:
        if links is not None:  # noqa: SIM102 - the compiler leaves out a branch whose condition is just this
            if s.run[0].changed:
                renew_rates(links, s, prices, s.run[0].now)
        happened = open_instant(s, prices)
        if happened == EXPIRY:
            job = s.run[0].expired
            if not has_space(w, job):
                return EXPIRY
            done = prices.until[job]
            if renew(w, job, space) != FINE:
                return FAILED
            bring_price(w, job, prices)
            if not prices.until[job] > done:
                return FAILED
            progress.reprice(s, prices, job, s.run[0].now)
        elif happened != NO_PASS or s.run[0].finished == len(s.job):
            return happened
