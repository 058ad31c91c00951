"""Dealing jobs to GPU types: by hand, and what holds of every deal."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.allocate.by_type import FASTER, assign_types

quick = settings(derandomize=True, database=None, deadline=None, max_examples=60)


def linear(speeds, capacity, jobs):
    """Rates of equal jobs whose speed is the number of GPUs times that of the type."""
    most = max(capacity)
    gpus = np.arange(most + 1)
    rate = np.array([np.where(gpus <= c, s * gpus, 0.0) for s, c in zip(speeds, capacity, strict=True)])
    return np.tile(rate, (jobs, 1, 1))


def dealt(rate, capacity, sizes, now=None, order=None):
    n, room = len(rate), np.array(capacity)
    now = np.full(n, -1) if now is None else np.array(now)
    order = np.arange(n) if order is None else np.array(order)
    found = assign_types(rate, order, np.array(sizes), now, np.array(capacity), room)
    return found.kind.tolist(), found.option.tolist(), room.tolist()


def test_a_running_job_moves_only_for_much_more():
    """Worth of the other type: just under and just over what keeps it."""
    for speed, kind in ((0.99 * FASTER, 0), (1.01 * FASTER, 1)):
        assert dealt(linear((1.0, speed), (4, 4), 1), (4, 4), [[1]], now=[0])[0] == [kind]


def test_the_first_size_that_fits_on_a_type_where_the_job_can_run():
    rate = linear((1.0, 5.0), (4, 2), 2)
    kind, option, room = dealt(rate, (4, 2), [[3, 1], [3, 1]])
    assert (kind, option, room) == ([0, 1], [0, 1], [1, 1])
    rate[:, 1] = 0.0
    assert dealt(rate, (4, 2), [[3, 2], [3, 2]])[:2] == ([0, -1], [0, -1])


@quick
@given(st.data())
def test_no_type_is_overfull_and_nobody_is_left_out_beside_room(data):
    types, jobs = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 7))
    capacity = [data.draw(st.integers(1, 6)) for _ in range(types)]
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    rate = linear(rng.uniform(0.5, 4.0, types), capacity, jobs) * rng.uniform(0.5, 2.0, (jobs, types, 1))
    rate[rng.random((jobs, types)) < 0.2] = 0.0
    sizes = rng.integers(1, 5, (jobs, 2))
    kind, option, room = dealt(rate, capacity, sizes, now=rng.integers(-1, types, jobs), order=rng.permutation(jobs))
    used = [sum(int(sizes[j, option[j]]) for j in range(jobs) if kind[j] == k) for k in range(types)]
    assert [c - u for c, u in zip(capacity, used, strict=True)] == room
    assert min(room) >= 0
    for j in range(jobs):
        if kind[j] >= 0:
            assert rate[j, kind[j], sizes[j, option[j]]] > 0.0
        else:
            fits = [k for k in range(types) for n in sizes[j] if n <= min(room[k], capacity[k]) and rate[j, k, n] > 0]
            assert not fits
