"""From pass to pass under a training by epochs, whose ends are by far the most frequent events of such a run."""

from collections.abc import Callable

from rarlib.cost.goodput.descent import Space
from rarlib.cost.goodput.progress import FINE, TrainingState, bring_price, has_space, renew
from rarlib.cost.links.link_sharing import LinkState, renew_rates
from rarlib.model.jit import hot_kernel
from rarlib.model.prices import Prices
from rarlib.simulator import progress
from rarlib.simulator.clock import EXPIRY, NO_PASS, open_instant
from rarlib.simulator.cost_models import RunLinks
from rarlib.simulator.state import State

_FAILED = -1


def skip_epochs(
    state: State,
    prices: Prices,
    tables: tuple[TrainingState, Space],
    links: RunLinks | None,
    refuse: Callable[[int], None],
) -> int:
    """As `open_instant`, again and again, with new rows of prices at the ends of epochs, while nothing else happens.

    `refuse` is called with a job whose row could not be renewed.

    Returns:
        What happened last. `EXPIRY`, if the training needs more space to note what is observed of that job.

    Raises:
        ValueError: a job goes on in a way that was not measured.
        AssertionError: a row of prices is not valid for any work.
    """
    happened = _skip(state, prices, *tables, None if links is None else links.tables)
    if happened == _FAILED:
        job = int(state.run[0].expired)
        refuse(job)
        raise AssertionError(f"the new prices of job {job} have expired already")
    return happened


@hot_kernel
def _skip(s: State, prices: Prices, w: TrainingState, space: Space, links: LinkState | None) -> int:
    """See `skip_epochs`; `_FAILED` if a row could not be renewed."""
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
                return _FAILED
            bring_price(w, job, prices)
            if not prices.until[job] > done:
                return _FAILED
            progress.reprice(s, prices, job, s.run[0].now)
        elif happened != NO_PASS or s.run[0].finished == len(s.job):
            return happened
