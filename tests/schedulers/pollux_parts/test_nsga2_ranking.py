"""Fronts and crowding distances against their definitions (Deb et al. 2002)."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rarlib.schedulers.pollux_parts.ranking import new_ranking, rank

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30)


def ranked(pairs, kept=1):
    ranking = new_ranking(len(pairs))
    ranking.first[:], ranking.second[:] = np.array(pairs, float).T
    rank(ranking, len(pairs), kept)
    return ranking


def naive_fronts(values):
    front, left, number = np.full(len(values), -1), set(range(len(values))), 0
    while left:
        free = {
            b for b in left if not any((values[a] <= values[b]).all() and (values[a] < values[b]).any() for a in left)
        }
        for member in free:
            front[member] = number
        left -= free
        number += 1
    return front


def naive_distances(values, members):
    distance = dict.fromkeys(members, 0.0)
    for column in values.T:
        order = sorted(members, key=lambda member: column[member])
        width = column[order[-1]] - column[order[0]]
        distance[order[0]] = distance[order[-1]] = np.inf
        for before, here, after in zip(order, order[1:], order[2:], strict=False):
            distance[here] += (column[after] - column[before]) / width
    return distance


@given(PAIRS)
def test_fronts(pairs):
    """Equals stand in the same front."""
    ranking = ranked(pairs)
    assert (ranking.front == naive_fronts(np.array(pairs, float))).all()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40, unique=True))
def test_crowding(pairs):
    """Of distinct members: among equals there is no telling who is whose neighbour."""
    ranking, values = ranked(pairs), np.array(pairs, float)
    for number in set(ranking.front.tolist()):
        members = np.flatnonzero(ranking.front == number)
        wanted = naive_distances(values, members.tolist())
        for member in members:
            assert np.isclose(ranking.lonely[member], wanted[member]) or ranking.lonely[member] == wanted[member]
