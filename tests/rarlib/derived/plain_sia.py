"""Sia computed by hand: goodput, the integer program, Gavel's program and rounds, and the measures of Tables 3 and 4.

Source: Jayaram Subramanya et al., SOSP 2023, sections 3 and 5, and its artifact; Gavel, OSDI 2020. Plain Python; numpy
solves the linear equations of a vertex.
"""

from itertools import combinations, product
from math import ceil, floor

import numpy as np

TINY = 1e-8


def iteration_time(p, nodes, replicas, local, steps):
    """T_iter = s T_acc + (T_acc^gamma + T_net^gamma)^(1/gamma); p is alpha_c, beta_c, of nodes, of GPUs, gamma."""
    alpha_c, beta_c, alpha_n, beta_n, alpha_r, beta_r, gamma = p
    computing = alpha_c + beta_c * local
    beyond = max(replicas - 2, TINY)
    sending = alpha_n + beta_n * beyond if nodes > 1 else alpha_r + beta_r * beyond if replicas > 1 else TINY
    return steps * computing + (computing**gamma + sending**gamma) ** (1 / gamma)


def gain(square, variance, scale):
    """Progress of one iteration with `scale` times the initial batch, in iterations with that batch."""
    return (variance + square) / (variance / scale + square)


def split(batch, replicas, largest, first):
    """Samples per GPU and pass, and accumulation steps; one GPU needs two passes beyond the initial batch."""
    local = batch / replicas
    steps = ceil(local / largest - TINY) - 1
    if replicas == 1 and local > first + TINY:
        steps = max(steps, 1)
    return ceil(local / (steps + 1) - TINY), steps


def goodput(p, gradient, nodes, replicas, local, steps, first):
    """Throughput times efficiency: K a (s+1) / T_iter times gain / (B / m0)."""
    batch = replicas * local * (steps + 1)
    throughput = batch / iteration_time(p, nodes, replicas, local, steps)
    return throughput * gain(*gradient, batch / first) / (batch / first)


def best_goodput(p, gradient, nodes, replicas, first, largest_batch, least, largest):
    """The best of fifty global batches between max(m0, a_min K) and B_max that grow geometrically."""
    low = max(first, least * replicas)
    found = []
    for i in range(50):
        local, steps = split(low * (largest_batch / low) ** (i / 49), replicas, largest, first)
        if least <= local <= largest:
            found.append((goodput(p, gradient, nodes, replicas, local, steps, first), local, steps))
    return max(found, key=lambda one: one[0], default=(0.0, 0, 0))


def configurations(nodes, per_node, most=64):
    """(nodes, GPUs) of one type: powers of two within a node, whole nodes beyond."""
    inside = [(1, 2**k) for k in range(per_node.bit_length()) if 2**k < per_node]
    return inside + [(n, n * per_node) for n in range(1, nodes + 1) if n == 1 or n * per_node <= most]


def entries(goodputs, held, age, restarts, restart_s, power):
    """One job's row of the matrix, hundredths: normalised, times the restart factor, to the power, rounded.

    Entries are at most 3000. A goodput of 0 is no choice (None). `held` is the column it has now, or -1.
    """
    least = min(value for value in goodputs if value > 0)
    factor = 1.0 if age < restart_s else max(age - restarts * restart_s, 0) / (age + restart_s)
    row = []
    for column, value in enumerate(goodputs):
        scaled = value / least * (factor if held not in (-1, column) else 1.0)
        row.append(round(100 * min(round(scaled**power, 2), 3000)) if scaled > 0 else None)
    return row


def decisions(costs, gpus, kinds, capacity, skip):
    """All least costs of the program: at most one column per job, at most the GPUs of each type; with their choices."""
    options = [[-1, *(c for c, cost in enumerate(row) if cost is not None)] for row in costs]
    best, found = None, []
    for chosen in product(*options):
        used = [0] * len(capacity)
        for column in chosen:
            if column >= 0:
                used[kinds[column]] += gpus[column]
        if any(u > c for u, c in zip(used, capacity, strict=True)):
            continue
        value = sum(skip if c < 0 else row[c] for row, c in zip(costs, chosen, strict=True))
        if best is None or value < best:
            best, found = value, []
        if value == best:
            found.append(chosen)
    return best, found


def gavel_optimum(rate, gpus, capacity):
    """max sum x_jt rate_jt with sum_t x_jt <= 1 and sum_j gpus_j x_jt <= capacity_t, over all vertices."""
    jobs, types = len(rate), len(capacity)
    rows, limits = [], []
    for j in range(jobs):
        rows.append([float(i == j) for i in range(jobs) for _ in range(types)])
        limits.append(1.0)
    for t in range(types):
        rows.append([gpus[i] * float(k == t) for i in range(jobs) for k in range(types)])
        limits.append(float(capacity[t]))
    for n in range(jobs * types):
        rows.append([-float(m == n) for m in range(jobs * types)])
        limits.append(0.0)
    a, b, c = np.array(rows), np.array(limits), np.array(rate, float).ravel()
    best = None
    for tight in combinations(range(len(rows)), jobs * types):
        square = a[list(tight)]
        if abs(np.linalg.det(square)) < 1e-12:
            continue
        x = np.linalg.solve(square, b[list(tight)])
        if (a @ x <= b + 1e-9).all() and (best is None or c @ x > best[0]):
            best = float(c @ x), x.reshape(jobs, types)
    return best


class GavelRounds:
    """Rounds by priority x_jt / (time received on t / time of all on t); jobs enter with half a round on every type."""

    def __init__(self, types, length):
        self.length, self.received, self.total = length, {}, [0.0] * types

    def next(self, jobs, shares, gpus, capacity):
        """Who runs where: job -> type, most urgent first; the round counts in full."""
        for job in jobs:
            if job not in self.received:
                self.received[job] = [self.length / 2] * len(capacity)
                self.total = [total + self.length / 2 for total in self.total]
        pairs = [
            (-shares[i][t] / (self.received[job][t] / self.total[t]), -shares[i][t], t, i)
            for i, job in enumerate(jobs)
            for t in range(len(capacity))
        ]
        left, runs = list(capacity), {}
        for _, _, t, i in sorted(pairs):
            if jobs[i] not in runs and gpus[i] <= left[t]:
                runs[jobs[i]] = t
                left[t] -= gpus[i]
        for job, t in runs.items():
            self.received[job][t] += self.length
            self.total[t] += self.length
        return runs


def present(submit, finish, now):
    """Jobs in the system at a time."""
    return sum(s <= now < f for s, f in zip(submit, finish, strict=True))


def measures(submit, finish, gpu_seconds, round_s):
    """Columns of Tables 3 and 4 for one file: p99 is element floor(0.99 n), contention is counted when rounds end."""
    hours = sorted((f - s) / 3600 for s, f in zip(submit, finish, strict=True))
    rounds = [present(submit, finish, n * round_s) for n in range(1, ceil(max(finish) / round_s) + 1)]
    busy = [count for count in rounds if count]
    return {
        "avg_jct": sum(hours) / len(hours),
        "p99_jct": hours[floor(0.99 * len(hours))],
        "makespan": (max(finish) - min(submit)) / 3600,
        "gpu_hours": sum(gpu_seconds) / len(gpu_seconds) / 3600,
        "contention_mean": sum(busy) / len(busy),
        "contention_max": max(rounds),
    }


def beside(submit, finish, j, round_s):
    """Jobs in the system on average over the ends of rounds that job j sees, or at the next one if it sees none.

    The policy is first called at the end of the first round.
    """
    first = max(ceil(submit[j] / round_s), 1)
    ends = range(first, max(ceil(finish[j] / round_s), first + 1))
    return sum(present(submit, finish, n * round_s) for n in ends) / len(ends)


def fairness(turnaround, alone, gpus):
    """rho = T / sum_g P(g) T_g over the types, P(g) their shares of the GPUs."""
    return turnaround / sum(alone[g] * gpus[g] / sum(gpus.values()) for g in gpus)


def between(points, x):
    """Linear between the points of a table, None outside."""
    known = sorted(points)
    for low, high in zip(known, known[1:] + known[-1:], strict=True):
        if low <= x <= high:
            return tuple(
                a + (b - a) * ((x - low) / (high - low) if high > low else 0.0)
                for a, b in zip(points[low], points[high], strict=True)
            )
    return None


def epoch_times(steps, gradients, replicas, batch):
    """Seconds of each epoch of an application on one placement with one batch, without slow-down; None: not measured.

    `steps[local]` = (step, sync) as measured; `gradients[batch]` has (progress at its end, square, variance) of each
    epoch. A minibatch accumulates s parts: step + s (step - sync) seconds.
    """
    first, most = min(gradients), max(gradients)
    local, accumulated = split(ceil(batch / replicas), 1, max(steps), first if replicas == 1 else batch)
    times, used = between(steps, local), replicas * local * (accumulated + 1)
    if times is None or not first <= used <= most:
        return None
    step, sync = times
    seconds, before = [], 0.0
    for epoch in range(len(gradients[first])):
        end = min(rows[epoch][0] for rows in gradients.values())
        square, variance = between({b: rows[epoch][1:] for b, rows in gradients.items()}, used)
        seconds.append((end - before) / gain(square, variance, used / first) * (step + accumulated * (step - sync)))
        before = end
    return seconds


def completion(submit, round_s, delay, epochs):
    """When a job ends that starts at the first call of the policy after its submission, and is never moved.

    The policy is called when rounds end, the first time after one round. Epochs end at whole seconds.
    """
    now = max(ceil(submit / round_s), 1) * round_s + delay
    for seconds in epochs:
        now = floor(now + seconds + 0.5)
    return now
