"""What the law remembers of a link until a job comes or goes: how much its users ask for, and what is left to some.

Jobs around a change ask the same of many links on which nothing has changed; the answers are kept, not derived anew.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.fabric.chain import CHAIN_JOBS
from rarlib.fabric.outside import Outsiders, add_user, forget, left_over
from rarlib.fabric.sharing import Sharing
from rarlib.model.jit import hot_kernel

_SETS = 16
"""Sets of users of which a link remembers what is left to them."""

_MOST_USERS = 62
"""With more users than bits of a number, sets are not remembered."""

_NEVER = -1


class LinkMemory(NamedTuple):
    """Answers, and the number of changes of the link (`Sharing.changes`) when they were found."""

    asked_at: NDArray[np.int64]  # changes when `asked` was found, shape (links,)
    # share of the link that all users would use if each were alone everywhere, shape (links,)
    asked: NDArray[np.float64]
    ask: NDArray[np.float64]  # the same for the user at each place of `Sharing.user`, shape (places,)
    found_at: NDArray[np.int64]  # changes when `capacity` was found, shape (links, sets)
    # the users that are in the chain, one bit for each place in the link's list, shape (links, sets)
    among: NDArray[np.int64]
    # bytes/s left to them by how many of them send, shape (links, sets, `CHAIN_JOBS` + 1)
    capacity: NDArray[np.float64]


def link_memory(sharing: Sharing) -> LinkMemory:
    """Memory for some links, of which nothing is known."""
    links = len(sharing.capacity)
    return LinkMemory(
        asked_at=np.full(links, _NEVER),
        asked=np.zeros(links),
        ask=np.zeros(len(sharing.user)),
        found_at=np.full((links, _SETS), _NEVER),
        among=np.zeros((links, _SETS), np.int64),
        capacity=np.zeros((links, _SETS, CHAIN_JOBS + 1)),
    )


@hot_kernel
def sum_demand(sharing: Sharing, memory: LinkMemory, link: int) -> float:
    """Share of a link that all its users would use if each were alone everywhere; each one's own into `memory.ask`."""
    if memory.asked_at[link] != sharing.changes[link]:
        first, total = sharing.first_user[link], 0.0
        for who in range(first, first + sharing.users[link]):
            job = sharing.user[who]
            seconds = sharing.user_times[who] * sharing.size[job] / sharing.capacity[link]
            memory.ask[who] = seconds / (sharing.compute_s[job] + sharing.send_s[job])
            total += memory.ask[who]
        memory.asked[link], memory.asked_at[link] = total, sharing.changes[link]
    return memory.asked[link]


@hot_kernel
def _slot(sharing: Sharing, among: int, link: int) -> int:
    """Where a link remembers what is left to a set of its users."""
    if sharing.users[link] > _MOST_USERS:
        return 0
    return (among ^ (among >> 4) ^ (among >> 9) ^ (among >> 17) ^ (among >> 31)) % _SETS


@hot_kernel
def find_left(
    sharing: Sharing, memory: LinkMemory, out: Outsiders, place: NDArray[np.int64], row: NDArray[np.float64], link: int
) -> tuple[int, int, int]:
    """What a link leaves to those of its users that are in the chain, in its `capacity`.

    `place` is that of each job in the chain, -1 for all others; `row` receives what each job of the chain takes of the
    link.

    Returns:
        The place in `memory.capacity[link]`; the jobs that use the link, one bit for each place in the chain; their
            number.
    """
    first, end = sharing.first_user[link], sharing.first_user[link] + sharing.users[link]
    among, using, inside = 0, 0, 0
    row[:] = 0.0
    for who in range(first, end):
        at = place[sharing.user[who]]
        if at >= 0:
            row[at] = sharing.user_times[who]
            using |= 1 << at
            inside += 1
            among |= 1 << min(who - first, _MOST_USERS)
    slot = _slot(sharing, among, link)
    if memory.found_at[link, slot] != sharing.changes[link] or memory.among[link, slot] != among:
        memory.found_at[link, slot] = sharing.changes[link] if end - first <= _MOST_USERS else _NEVER
        memory.among[link, slot] = among
        _count_others(sharing, out, place, link)
        for q in range(1, inside + 1):
            memory.capacity[link, slot, q] = sharing.capacity[link] * left_over(out, q, sharing.alpha)
    return slot, using, inside


@hot_kernel
def _count_others(sharing: Sharing, out: Outsiders, place: NDArray[np.int64], link: int) -> None:
    """Put the users of a link that are not in the chain outside."""
    forget(out)
    for who in range(sharing.first_user[link], sharing.first_user[link] + sharing.users[link]):
        job = sharing.user[who]
        if place[job] < 0:
            seconds = sharing.user_times[who] * sharing.size[job] / sharing.capacity[link]
            add_user(out, sharing.compute_s[job], sharing.send_s[job], seconds)
