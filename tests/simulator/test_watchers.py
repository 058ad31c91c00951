"""Lists of jobs that watch a job, against a dictionary of sets."""

import numpy as np

from rarlib.cost.links.watchers import WATCHED, no_watchers, watch, watch_nobody
from rarlib.model.seeds import stream

JOBS = 5


def watching(watchers, job):
    """Who watches a job, by place, latest first; walks the list, which must be as long backwards."""
    found, place, last = [], int(watchers.first[job]), -1
    while place >= 0:
        assert watchers.before[place] == last
        assert len(found) < JOBS * WATCHED, "the list goes round"
        found.append(place)
        place, last = int(watchers.after[place]), place
    return found


def test_lists_are_those_of_a_dictionary():
    """Jobs watch others and stop doing so at random; each list holds who came last first, and nobody else."""
    for number in range(20):
        rng, watchers, lists = stream(number, "watchers"), no_watchers(JOBS), {job: [] for job in range(JOBS)}
        for _ in range(25):
            job = int(rng.integers(JOBS))
            watch_nobody(watchers, job)
            own = range(job * WATCHED, (job + 1) * WATCHED)
            lists = {other: [place for place in each if place not in own] for other, each in lists.items()}
            others = rng.permutation(JOBS)[: rng.integers(0, min(JOBS, WATCHED) + 1)].tolist()
            for nth, other in enumerate(others):
                watch(watchers, job, nth, other)
                lists[other].insert(0, job * WATCHED + nth)
            assert {other: watching(watchers, other) for other in range(JOBS)} == lists
            watched = {place: other for other, each in lists.items() for place in each}
            expected = [watched.get(place, -1) for place in range(JOBS * WATCHED)]
            assert watchers.watched.tolist() == expected
            assert np.count_nonzero(watchers.first >= 0) == sum(bool(each) for each in lists.values())
