"""AITurbo computed by hand: its workload's facts, speed and loss models, priorities, and three queues.

Source: Zhao et al., HPDC 2021, abstract and data set; for the models Optimus (EuroSys 2018), for queues Tiresias (NSDI
2019); for priorities later code of the same laboratory, its errors mended. Plain Python; numpy solves least squares.
"""

from itertools import combinations
from math import floor
from typing import NamedTuple

import numpy as np


def mean(values):
    """Arithmetic mean."""
    return sum(values) / len(values)


def quantile(values, level):
    """Value at a level of the sorted values, linear between neighbours."""
    ordered = sorted(values)
    at = level * (len(ordered) - 1)
    below = floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def facts(rows):
    """What the study states of its jobs; rows have `type`, `running` (s) and `unpredictable` (0 or 1)."""
    hours, bad = [row["running"] / 3600 for row in rows], 100 * mean([row["unpredictable"] for row in rows])
    return {
        "jobs": len(rows),
        "types": len({row["type"] for row in rows}),
        "predictable": 100 - bad,
        "unpredictable": bad,
        "mean": mean(hours),
        "median": quantile(hours, 0.5),
        "p90": quantile(hours, 0.9),
        "max": max(hours),
    }


def step_time(theta, batch, workers, servers):
    """1/f of synchronous training: th0 M/w + th1 + th2 w/p + th3 w + th4 p seconds."""
    w, p = workers, servers
    return theta[0] * batch / w + theta[1] + theta[2] * w / p + theta[3] * w + theta[4] * p


def fit_speed(points, batch, seconds):
    """theta without th1, none negative, with the least squares of relative errors.

    The best non-negative coefficients are the plain solution on some of the columns, so every choice is tried.
    """
    columns = np.array([[batch / w, w / p, w, p] for w, p in points]) / np.array(seconds)[:, None]
    best, least = None, float("inf")
    for count in range(1, 5):
        for chosen in combinations(range(4), count):
            some, *_ = np.linalg.lstsq(columns[:, chosen], np.ones(len(seconds)), rcond=None)
            error = float(((columns[:, chosen] @ some - 1) ** 2).sum())
            if (some >= -1e-12).all() and error < least - 1e-15:
                best, least = dict(zip(chosen, some, strict=True)), error
    return [best.get(0, 0.0), 0.0, *(best.get(i, 0.0) for i in (1, 2, 3))], least


class Loss(NamedTuple):
    """l(k) = 1 / (b0 k + b1) + b2."""

    b0: float
    b1: float
    b2: float

    def at(self, k):
        return 1 / (self.b0 * k + self.b1) + self.b2

    def epochs_to(self, loss):
        """k* with l(k*) = loss."""
        return (1 / (loss - self.b2) - self.b1) / self.b0

    def converged(self):
        """First epoch from which the loss falls by less than 0.05 in ten epochs; 100 at the latest."""
        return next((k for k in range(100) if self.at(k) - self.at(k + 10) < 0.05), 100)


def misfit(curve, epochs, losses):
    """Weighted squares of the residuals; the second and third third of the history weigh 4 and 16 times as much."""
    n = len(epochs)
    weights = [4 ** min(3 * i // n, 2) for i in range(n)]
    return sum(w * (curve.at(k) - loss) ** 2 for w, k, loss in zip(weights, epochs, losses, strict=True))


def rate(gpu_workers, cpu_workers, servers):
    """R: a GPU counts ten cores, every task five."""
    return 10 * gpu_workers + 5 * (gpu_workers + cpu_workers + servers)


def best_move(step_s, left, tasks):
    """The best single addition and removal by what they save of S(x) = T_rem(x) R(x); the larger one wins.

    `step_s` maps (GPU workers, CPU workers, servers) to seconds; what it does not hold is impossible.
    """

    def cost(x):
        return left * step_s[x] * rate(*x)

    def best(sign):
        moves = [tuple(n + sign * (i == kind) for i, n in enumerate(tasks)) for kind in range(3)]
        return max(((cost(tasks) - cost(x), x) for x in moves if x in step_s), default=(0.0, tasks))

    (add, more), (remove, less) = best(+1), best(-1)
    if add > max(remove, 0):
        return "increase", add, more
    return ("decrease", remove, less) if remove > 0 else ("keep", 0.0, tasks)


def borda(service, moves):
    """Scores, smaller is more urgent; `moves[j]` is (wish, gain) of a predictable job and None of another.

    Every job is ranked by attained service; predictable ones have a second rank, by gain among those with the same
    wish; who keeps what it has is last.
    """
    by_service = {j: rank for rank, j in enumerate(sorted(range(len(service)), key=service.__getitem__), 1)}
    predictable = [j for j, move in enumerate(moves) if move]
    scores = {j: 2 * by_service[j] for j in range(len(service))}
    for j in predictable:
        wish, gain = moves[j]
        rank = 1 + sum(1 for i in predictable if moves[i][0] == wish and moves[i][1] > gain)
        scores[j] = by_service[j] + (len(predictable) if wish == "keep" else rank)
    return [scores[j] for j in range(len(service))]


class Job(NamedTuple):
    """Submission, GPUs and seconds on them; whole numbers."""

    submit: int
    gpus: int
    seconds: int


def _served(order, jobs, gpus, at_once=None):
    """First fit in order: who does not fit is passed over."""
    running, free = [], gpus
    for j in order:
        if jobs[j].gpus <= free and (at_once is None or len(running) < at_once):
            running.append(j)
            free -= jobs[j].gpus
    return running


def play(policy, jobs, gpus, thresholds=(), at_once=None):
    """Finish of every job, second by second.

    fcfs      who runs goes on; then by submission; at most `at_once` jobs at a time
    srtf      least remaining time first, others are stopped
    tiresias  queues by attained GPU-seconds; a job that enters a queue or finds no GPUs goes to its tail
    """
    left, finish, running = [job.seconds for job in jobs], {}, []
    queue, place, tail = {}, {}, 0
    for now in range(sum(job.seconds for job in jobs) + max(job.submit for job in jobs) + 1):
        for j in [j for j in running if left[j] == 0]:
            finish[j] = now
        present = [j for j, job in enumerate(jobs) if job.submit <= now and j not in finish]
        if policy == "fcfs":
            order = sorted(present, key=lambda j: (j not in running, j))
        elif policy == "srtf":
            order = sorted(present, key=lambda j: (left[j], j))
        else:
            for j in present:
                level = sum((jobs[j].seconds - left[j]) * jobs[j].gpus >= threshold for threshold in thresholds)
                if queue.get(j) != level:
                    queue[j], place[j], tail = level, tail, tail + 1
            order = sorted(present, key=lambda j: (queue[j], place[j]))
        running = _served(order, jobs, gpus, at_once)
        for j in order:
            if j not in running:
                place[j], tail = tail, tail + 1
        for j in running:
            left[j] -= 1
    return [finish[j] for j in range(len(jobs))]
