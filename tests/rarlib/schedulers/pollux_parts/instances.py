"""Random problems of the genetic search, and a plain reading of what an allocation must be and is worth."""

import itertools

import numpy as np

from rarlib.model.seeds import stream
from rarlib.schedulers.pollux_parts.packed import pack_states, unpack
from rarlib.schedulers.pollux_parts.problem import FLOOR, JobLimits, contributions, objectives, problem_of


def random_problem(seed, *, jobs=3, nodes=3, size=2, p=-1.0, least=1):
    """Concave speedups that suffer from spanning nodes, some jobs already placed."""
    rng = stream(seed, "test-genetic")
    room = rng.integers(1, size + 1, nodes)
    room[0] = size
    most = np.maximum(rng.integers(1, room.sum() + 1, jobs), least)
    spread = np.minimum(most, rng.integers(1, nodes + 1, jobs))
    tables = []
    for j in range(jobs):
        gpus, spans = np.arange(most[j] + 1), np.arange(spread[j] + 1)[:, None] > 1
        table = gpus / (1 + rng.uniform(0, 0.5) * np.maximum(gpus - 1, 0)) * np.where(spans, rng.uniform(0.5, 1), 1.0)
        tables.append(table)
    base = np.zeros((jobs, nodes), np.int16)
    base[int(rng.integers(jobs)), int(rng.integers(nodes))] = 1
    limits = JobLimits(np.full(jobs, least), most, spread)
    return problem_of(room, base, limits, tables, rng.uniform(0.2, 1.0, jobs), p), tables


def objectives_of(problem, state):
    """Objectives of a matrix."""
    free = problem.node_gpus - np.asarray(state, dtype=int).sum(axis=0)
    sums = np.sum([contributions(problem, j, row) for j, row in enumerate(packed(state))], axis=0)
    return objectives(problem, *sums, free)


def packed(state):
    """A matrix, packed."""
    return pack_states(np.asarray(state, np.int16)[None])[0]


def matrix(state):
    """A packed state, as a matrix."""
    return unpack(state[None])[0]


def feasible(problem, state):
    """Every rule by itself."""
    state = np.asarray(state, dtype=int)
    used, gpus = (state > 0).sum(axis=1), state.sum(axis=1)
    spanning = (state > 0) & (used > 1)[:, None]
    return bool(
        (state >= 0).all()
        and (state.sum(axis=0) <= problem.node_gpus).all()
        and (gpus <= problem.most).all()
        and (used <= problem.spread).all()
        and ((gpus == 0) | (gpus >= problem.least)).all()
        and (spanning.sum(axis=0) <= 1).all()
    )


def worth(problem, tables, factor, state):
    """Power mean of speedups, and speedups per GPU of nodes in use, term by term."""
    speed = [float(tables[j][(row > 0).sum(), row.sum()]) for j, row in enumerate(state)]
    kept = [1.0 if (row == problem.base[j]).all() else factor[j] for j, row in enumerate(state)]
    scaled = [s / problem.node_gpus.max() * k for s, k in zip(speed, kept, strict=True)]
    active = problem.node_gpus[state.any(axis=0)].sum()
    if problem.p == 0:
        mean = np.exp(np.mean(np.log(np.maximum(scaled, FLOOR))))
    else:
        mean = np.mean([(s + FLOOR) ** problem.p for s in scaled]) ** (1 / problem.p)
    return mean, sum(speed) / active if active else 0.0


def all_states(problem):
    """Every matrix that keeps to the rules."""
    columns = []
    jobs = len(problem.most)
    for room in problem.node_gpus:
        counts = itertools.product(range(int(room) + 1), repeat=jobs)
        columns.append([column for column in counts if sum(column) <= room])
    for chosen in itertools.product(*columns):
        state = np.array(chosen, np.int16).T.copy()
        if feasible(problem, state):
            yield state
