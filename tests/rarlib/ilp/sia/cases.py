"""Decisions to make, as Sia's rounds pose them, and the best of all by trying every one."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.sia.problem import SCALE, RoundProblem
from rarlib.model.seeds import stream


def round_like(
    seed: int, jobs: int, nodes: tuple[int, ...] = (6, 3, 2), room: tuple[int, ...] = (4, 8, 8), clones: float = 0.0
) -> RoundProblem:
    """Jobs of five applications with concave speed-ups on types of different speed, most of them running already."""
    rng = stream(seed, "sia", jobs)
    kind, size = [], []
    for t, (n, r) in enumerate(zip(nodes, room, strict=True)):
        sizes = [2**k for k in range(r.bit_length())] + [k * r for k in range(2, n + 1) if k * r <= 64]
        kind += [t] * len(sizes)
        size += sizes
    columns, gpus = np.array(kind), np.array(size)
    speed = np.exp(rng.normal(0.0, 0.1, (5, len(nodes)))) * 2.0 ** np.arange(len(nodes))
    goodput = speed[rng.integers(0, 5, jobs)][:, columns] * gpus ** rng.uniform(0.4, 0.98, jobs)[:, None]
    possible = gpus <= (2 ** rng.integers(0, 7, jobs))[:, None]
    like = rng.integers(0, max(1, round(jobs * (1.0 - clones))), jobs) if clones else np.arange(jobs)
    goodput, possible = goodput[like], possible[like]
    value = goodput / np.where(possible, goodput, np.inf).min(axis=1, keepdims=True)
    held = [int(rng.choice(np.flatnonzero(row))) if rng.random() < 0.8 else -1 for row in possible]
    age = rng.exponential(3000.0, jobs) + 30.0
    factor = np.maximum((age - 60.0 * rng.integers(0, 4, jobs)) / (age + 60.0), 0.01)
    current = np.array(held)
    other = (current >= 0)[:, None] & (np.arange(len(columns)) != current[:, None])
    cost = np.rint(100.0 * np.where(other, factor[:, None] * value, value) ** -0.5).astype(np.int64)
    capacity = np.array(nodes) * np.array(room)
    return RoundProblem(cost, np.where(possible, gpus, 0), columns, capacity, np.full(jobs, 110), current)


def small(seed: int) -> RoundProblem:
    """Anything: few jobs, one to three types, some choices impossible, few distinct costs and hence many ties."""
    rng = stream(seed, "small")
    jobs, columns, types = int(rng.integers(1, 6)), int(rng.integers(1, 6)), int(rng.integers(1, 4))
    shape = jobs, columns
    return RoundProblem(
        cost=rng.integers(20, 120 if rng.random() < 0.5 else 26, shape),
        gpus=rng.integers(0, 5, shape),
        kind=rng.integers(0, types, columns),
        capacity=rng.integers(1, 8, types),
        skip=np.full(jobs, 110),
        current=rng.integers(-1, columns, jobs),
    )


def best_by_trying(problem: RoundProblem) -> tuple[NDArray[np.int64], int]:
    """The decision that `rarlib.ilp.sia.problem` states, and its weight."""
    options: list[list[tuple[int, int, int]]] = []
    for job, held in enumerate(problem.current.tolist()):
        rows = [(int(problem.skip[job]) * SCALE + (held >= 0), 0, -1)]
        for column in np.flatnonzero(problem.gpus[job]).tolist():
            changed = held >= 0 and held != column
            rows.append((int(problem.cost[job, column]) * SCALE + changed, int(problem.gpus[job, column]), column))
        options.append(sorted(rows))
    found = []
    for rows in product(*options):
        column = np.array([row[2] for row in rows])
        if (problem.used(column) <= problem.capacity).all():
            found.append((sum(row[0] for row in rows), rows))
    weight, rows = min(found)
    return np.array([row[2] for row in rows]), weight
