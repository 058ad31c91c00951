"""Which GPUs the jobs of a round get."""

from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.allocate.in_order import assign_gpus

quick = settings(derandomize=True, database=None, deadline=None, max_examples=100)


def test_jobs_keep_their_gpus_unless_a_larger_one_took_them():
    before = {1: (0, 1), 2: (2, 3), 3: (4, 5)}
    assert assign_gpus({1: 2, 3: 2, 4: 2}, before) == {1: (0, 1), 3: (4, 5), 4: (2, 3)}
    assert assign_gpus({1: 2, 3: 2, 4: 4}, before) == {4: (0, 1, 2, 3), 3: (4, 5), 1: (6, 7)}


@quick
@given(st.data())
def test_nobody_shares_and_everybody_gets_what_fits(data):
    total, before = 16, {}
    for _ in range(4):
        sizes = data.draw(st.lists(st.integers(1, 6), max_size=6).filter(lambda held: sum(held) <= total))
        names = data.draw(st.permutations(range(8)))
        size = dict(zip(names, sizes, strict=False))
        assigned = assign_gpus(size, before)
        held = [worker for workers in assigned.values() for worker in workers]
        assert {job: len(workers) for job, workers in assigned.items()} == size
        assert len(set(held)) == len(held)
        assert all(0 <= worker < total for worker in held)
        before = assigned
