"""FIFO and SJF against models in SimPy, a general simulator of discrete events: equal starts and finishes."""

import pytest
import simpy
from toys import Cost, jobs_of, table_of

from rarlib.model.cluster import Cluster
from rarlib.model.seeds import stream
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.sjf import Sjf
from rarlib.simulator.engine import simulate


def fifo(table, gpus):
    """A container of GPUs serves whoever asked first, and nobody before."""
    env = simpy.Environment()
    idle, times = simpy.Container(env, gpus, gpus), [None] * len(table)

    def job(row, submit, gang, duration):
        yield env.timeout(submit)
        yield idle.get(gang)
        start = env.now
        yield env.timeout(duration)
        times[row] = (start, env.now)
        yield idle.put(gang)

    for row, columns in enumerate(table):
        env.process(job(row, *columns))
    env.run()
    return times


def shortest_first(table, gpus):
    """Whenever a job comes or goes, the shortest of the waiting jobs that fit start, ties by row."""
    env = simpy.Environment()
    waiting, times, idle = set(), [None] * len(table), [gpus]
    bell = simpy.Store(env)

    def job(row, submit):
        yield env.timeout(submit)
        waiting.add(row)
        yield bell.put(row)

    def running(row, gang, duration):
        start = env.now
        yield env.timeout(duration)
        times[row], idle[0] = (start, env.now), idle[0] + gang
        yield bell.put(row)

    def dispatcher():
        while True:
            yield bell.get()
            yield env.timeout(0)  # whatever else happens at this moment has happened
            bell.items.clear()
            for row in sorted(waiting, key=lambda row: (table[row][2], row)):
                _, gang, duration = table[row]
                if gang <= idle[0]:
                    waiting.remove(row)
                    idle[0] -= gang
                    env.process(running(row, gang, duration))

    env.process(dispatcher())
    for row, (submit, _, _) in enumerate(table):
        env.process(job(row, submit))
    env.run()
    return times


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "decide"])
@pytest.mark.parametrize(("scheduler", "model"), [(Fifo, fifo), (Sjf, shortest_first)])
def test_same_times(scheduler, model, compiled):
    """Whole seconds, so that arrivals, finishes and lengths tie; lengths of 0 among them."""
    for number in range(200):
        rng = stream(2, "simpy", number)
        nodes = rng.integers(1, 5, rng.integers(1, 4)).tolist()
        n = int(rng.integers(1, 25))
        columns = (rng.integers(low, high, n).tolist() for low, high in ((0, 15), (1, sum(nodes) + 1), (0, 9)))
        jobs = jobs_of(list(zip(*columns, strict=True)))
        run = simulate(jobs, Cluster.of(nodes), scheduler(), Cost(), compiled=compiled)
        expected = model(table_of(jobs), sum(nodes))
        assert list(zip(run.start_s.tolist(), run.finish_s.tolist(), strict=True)) == expected, number
