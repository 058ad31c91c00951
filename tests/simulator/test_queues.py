"""Heaps of waiting jobs, one for each gang size, against a sorted list."""

import numpy as np

from rarlib.model.seeds import stream
from rarlib.simulator.queues import best_class, earlier, new_queues, pop_class, push


def test_the_best_head_is_that_of_a_sorted_list():
    """Jobs come and go at random; the best class among those that fit and are not blocked holds the first job."""
    for number in range(20):
        rng = stream(number, "queues")
        gpus = rng.choice([1, 2, 3, 5, 8], 30)
        q, waiting, key = new_queues(gpus), [], {}
        sizes = sorted(set(gpus.tolist()))
        assert q.sizes.tolist() == sizes
        assert [sizes[c] for c in q.of_job] == gpus.tolist()
        for job in rng.permutation(30).tolist():
            key[job] = float(rng.integers(0, 4))
            push(q, job, key[job])
            waiting.append(job)
            for _ in range(int(rng.integers(0, 3))):
                most, blocked = int(rng.integers(0, 10)), rng.random(len(sizes)) < 0.2
                allowed = [size for size, shut in zip(sizes, blocked, strict=True) if size <= most and not shut]
                fitting = sorted((key[job], job) for job in waiting if gpus[job] in allowed)
                c = best_class(q, most, blocked)
                if not fitting:
                    assert c == -1
                    continue
                first = fitting[0][1]
                assert sizes[c] == gpus[first]
                assert all(earlier(q, first, job) and not earlier(q, job, first) for _, job in fitting[1:])
                assert pop_class(q, c) == first
                waiting.remove(first)
            assert q.length.tolist() == [sum(gpus[job] == size for job in waiting) for size in sizes]
        nobody = np.zeros(len(sizes), np.bool_)
        order = sorted(waiting, key=lambda job: (key[job], job))
        assert [pop_class(q, best_class(q, 8, nobody)) for _ in order] == order
