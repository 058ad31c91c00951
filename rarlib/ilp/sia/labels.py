"""Exact search for a decision within a given distance of a dual bound: dynamic programming over the GPUs left.

A label holds the GPUs of every type that the jobs decided so far leave, and their weight. Of two labels that leave the
same GPUs, only the lighter one can be part of an optimum. Of two with equal weights, the one with the better choice of
the job decided last is kept; jobs are decided from the last to the first, so ties are settled as `problem` states.
At prices u the excess of a decision over the dual bound is a sum of terms that are not negative (see `lagrangian`): a
label is dropped if it exceeds the allowance already, or must exceed it because the remaining jobs cannot take enough
of the GPUs left, or because L at other prices, of the remaining jobs and the GPUs left, says so. Few labels
remain where the allowance is small.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.sia.lagrangian import FACTORS, Dual, price_around
from rarlib.ilp.sia.problem import Choices
from rarlib.model.jit import hot_kernel

FOUND, NOTHING, FULL = 0, 1, 2
"""The best decision within the allowance was found; there is none; too many labels."""

MOST_LABELS = 1 << 16
"""Most labels of one search."""

_PLACES = 131_071  # a prime, twice the labels

_MOST_KEYS = 2.0**62  # the GPUs left of all types are one number, which must not overflow


class Labels(NamedTuple):
    """Labels of a search, and the hash table that finds them by what they leave. Reused from search to search."""

    key: NDArray[np.int64]  # GPUs left by type, as one number, shape (MOST_LABELS,)
    weight: NDArray[np.int64]  # weight of the jobs decided, shape (MOST_LABELS,)
    parent: NDArray[np.int64]  # label before the last job, shape (MOST_LABELS,)
    choice: NDArray[np.int64]  # choice of that job, shape (MOST_LABELS,)
    place: NDArray[np.int64]  # label in each place of the table, shape (_PLACES,)
    stamp: NDArray[np.int64]  # number of the stage that wrote it, shape (_PLACES,)
    stages: NDArray[np.int64]  # stages so far, shape (1,)

    @classmethod
    def empty(cls) -> "Labels":
        """Memory for searches."""
        key, weight, parent, choice = (np.empty(MOST_LABELS, np.int64) for _ in range(4))
        place, stamp = np.empty(_PLACES, np.int64), np.zeros(_PLACES, np.int64)
        return cls(key, weight, parent, choice, place, stamp, np.zeros(1, np.int64))


class Stages(NamedTuple):
    """The undecided jobs, in order, and what those before each of them can still take together."""

    job: NDArray[np.int64]  # jobs with several choices kept, shape (jobs,)
    least: NDArray[np.int64]  # fewest GPUs by type that the first i of them take, shape (jobs + 1, types)
    most: NDArray[np.int64]  # most GPUs, shape (jobs + 1, types)
    cheapest: NDArray[np.float64]  # their least sum of w + u g, shape (jobs + 1,)
    most_left: NDArray[np.int64]  # most GPUs left by type, shape (types,)
    left: NDArray[np.int64]  # scratch, shape (types,)
    size: NDArray[np.int64]  # scratch, shape (jobs,)
    other: NDArray[np.float64]  # least sum of w + v g at each of the prices v around u, shape (jobs + 1, prices)

    @classmethod
    def of(cls, jobs: int, types: int) -> "Stages":
        """Memory for a problem of this size."""
        tables = (np.zeros((jobs + 1, types), np.int64), np.zeros((jobs + 1, types), np.int64), np.zeros(jobs + 1))
        scratch = np.zeros(types, np.int64), np.zeros(types, np.int64), np.zeros(jobs, np.int64)
        return cls(np.zeros(jobs, np.int64), *tables, *scratch, np.zeros((jobs + 1, types * len(FACTORS))))


class Task(NamedTuple):
    """What is searched."""

    choices: Choices  # choices of all jobs
    keep: NDArray[np.bool_]  # which of them may be used; at least one for each job
    order: NDArray[np.int64]  # the jobs; the last one is decided first, the first one's choice settles ties first
    capacity: NDArray[np.int64]  # GPUs by type
    dual: Dual  # its prices are used, and those around them bound what the jobs left cost


@hot_kernel
def search_labels(task: Task, allowed: float, most: int, labels: Labels, s: Stages, answer: NDArray[np.int64]) -> int:
    """The best decision among the choices kept whose excess over L(u) is at most `allowed`, with at most `most` labels.

    `labels` and `s` are scratch; `answer` receives the choice of each job if there is one.

    Returns:
        `FOUND`, `NOTHING` or `FULL`; `FULL` also when there are too many types for a key to fit into a number.
    """
    c, d = task.choices, task.dual
    core = _prepare(task, s, answer)
    if core < 0:
        return NOTHING
    if _keys(s.most_left) > _MOST_KEYS:
        return FULL
    limit = d.bound[0] + allowed + 1.0  # weights are whole numbers, L(u) is not
    labels.key[0], labels.weight[0], labels.parent[0] = _key(s.most_left, s.most_left), 0, -1
    for job in range(len(answer)):
        if answer[job] >= 0:
            labels.weight[0] += c.weight[answer[job]]
    begin, end = 0, 1
    for i in range(core - 1, -1, -1):
        labels.stages[0] += 1
        begin, end = end, _decide(task, limit, most, labels, s, i, begin, end)
        if end < 0:
            return FULL
        if begin == end:
            return NOTHING
    best = begin
    for at in range(begin + 1, end):
        if labels.weight[at] < labels.weight[best] or (
            labels.weight[at] == labels.weight[best] and _precedes(labels, at, best)
        ):
            best = at
    for i in range(core):
        answer[s.job[i]] = labels.choice[best]
        best = labels.parent[best]
    return FOUND


@hot_kernel
def search_by_size(task: Task, allowed: float, most: int, labels: Labels, s: Stages, answer: NDArray[np.int64]) -> int:
    """As `search_labels`; large jobs are decided first and small ones fill what is left, which keeps the labels few."""
    c, order = task.choices, task.order
    for job in range(len(order)):
        s.size[job] = 0
        for at in range(c.first[job], c.first[job + 1]):
            if task.keep[at]:
                s.size[job] = max(s.size[job], c.size[at])
        to = job
        while to > 0 and s.size[order[to - 1]] > s.size[job]:
            order[to] = order[to - 1]
            to -= 1
        order[to] = job
    return search_labels(task, allowed, most, labels, s, answer)


@hot_kernel
def _prepare(task: Task, s: Stages, answer: NDArray[np.int64]) -> int:
    """Decide jobs with one choice kept (others: -1); return the number of others, -1 if those decided do not fit."""
    c, keep, d = task.choices, task.keep, task.dual
    core, types = 0, len(task.capacity)
    for t in range(types):
        s.most_left[t] = task.capacity[t]
    for job in task.order:
        kept, only, lightest = 0, -1, np.inf
        for t in range(types):
            s.most[core + 1, t] = 0
        for at in range(c.first[job], c.first[job + 1]):
            if keep[at]:
                kept, only = kept + 1, at
                lightest = min(lightest, c.weight[at] + d.price[c.kind[at]] * c.size[at])
                s.most[core + 1, c.kind[at]] = max(s.most[core + 1, c.kind[at]], c.size[at])
        answer[job] = -1
        if kept == 1:
            answer[job] = only
            s.most_left[c.kind[only]] -= c.size[only]
            continue
        for t in range(types):
            fewest = s.most[core + 1, t]
            for at in range(c.first[job], c.first[job + 1]):
                if keep[at]:
                    fewest = min(fewest, c.size[at] if c.kind[at] == t else 0)
            s.least[core + 1, t] = s.least[core, t] + fewest
            s.most[core + 1, t] += s.most[core, t]
        s.cheapest[core + 1] = s.cheapest[core] + lightest
        _price_otherwise(task, s, job, core)
        s.job[core] = job
        core += 1
    for t in range(types):
        if s.most_left[t] < 0:
            return -1
    return core


@hot_kernel
def _price_otherwise(task: Task, s: Stages, job: int, core: int) -> None:
    """Add the job's least w + v g at each of the other prices v."""
    c = task.choices
    for k in range(s.other.shape[1]):
        least = np.inf
        for at in range(c.first[job], c.first[job + 1]):
            if task.keep[at]:
                least = min(least, c.weight[at] + price_around(task.dual, k, c.kind[at]) * c.size[at])
        s.other[core + 1, k] = s.other[core, k] + least


@hot_kernel
def _keys(most_left: NDArray[np.int64]) -> float:
    """How many keys there are."""
    keys = 1.0
    for t in range(len(most_left)):
        keys *= most_left[t] + 1.0
    return keys


@hot_kernel
def _key(left: NDArray[np.int64], most_left: NDArray[np.int64]) -> int:
    key = 0
    for t in range(len(most_left)):
        key = key * (most_left[t] + 1) + left[t]
    return key


@hot_kernel
def _read(key: int, most_left: NDArray[np.int64], left: NDArray[np.int64]) -> None:
    for back in range(len(most_left)):
        t = len(most_left) - 1 - back
        left[t] = key % (most_left[t] + 1)
        key //= most_left[t] + 1


@hot_kernel
def _decide(task: Task, limit: float, most: int, labels: Labels, s: Stages, i: int, begin: int, end: int) -> int:
    """Add all labels after undecided job i; return the end of the new ones, or -1 when there are too many."""
    c, keep = task.choices, task.keep
    job, new, left = s.job[i], end, s.left
    for parent in range(begin, end):
        _read(labels.key[parent], s.most_left, left)
        for at in range(c.first[job], c.first[job + 1]):
            if not keep[at]:
                continue
            left[c.kind[at]] -= c.size[at]
            weight = labels.weight[parent] + c.weight[at]
            if _hopeful(task, limit, s, i, left, weight):
                new = _enter(labels, _key(left, s.most_left), weight, parent, at, end, new)
                if new >= most:
                    return -1
            left[c.kind[at]] += c.size[at]
    return new


@hot_kernel
def _hopeful(task: Task, limit: float, s: Stages, i: int, left: NDArray[np.int64], weight: int) -> bool:
    """Whether the first i undecided jobs can follow without exceeding the limit, as far as the prices tell."""
    total = weight + s.cheapest[i]
    for t in range(len(left)):
        if left[t] < s.least[i, t]:
            return False
        total -= task.dual.price[t] * min(left[t], s.most[i, t])
    if total > limit:
        return False
    for k in range(s.other.shape[1]):
        total = weight + s.other[i, k]
        for t in range(len(left)):
            total -= price_around(task.dual, k, t) * left[t]
        if total > limit:
            return False
    return True


@hot_kernel
def _enter(labels: Labels, key: int, weight: int, parent: int, choice: int, begin: int, end: int) -> int:
    """Add a label, unless a better one leaves the same GPUs; return the end of the labels."""
    stage, place = labels.stages[0], key % _PLACES
    at = end
    while labels.stamp[place] == stage:
        other = labels.place[place]
        if labels.key[other] == key:
            at = other
            break
        place = (place + 1) % _PLACES
    if at == end:
        labels.stamp[place], labels.place[place], labels.key[at] = stage, at, key
        end += 1
    elif weight > labels.weight[at] or (weight == labels.weight[at] and choice > labels.choice[at]):
        return end
    labels.weight[at], labels.parent[at], labels.choice[at] = weight, parent, choice
    return end


@hot_kernel
def _precedes(labels: Labels, one: int, other: int) -> bool:
    """Whether the first job whose choice differs has the better one in `one`."""
    while one >= 0 and other >= 0 and labels.parent[one] >= 0:
        if labels.choice[one] != labels.choice[other]:
            return labels.choice[one] < labels.choice[other]
        one, other = labels.parent[one], labels.parent[other]
    return False
