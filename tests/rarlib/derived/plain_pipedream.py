"""PipeDream computed by hand: partitions tried one by one, the authors' recurrence, 1F1B pass by pass, bytes sent.

Source: Narayanan et al., SOSP 2019, sections 3.1 and 3.2, and the authors' optimizer. Plain Python; models are chains.
"""

from functools import cache
from itertools import combinations, pairwise
from math import ceil, inf
from typing import NamedTuple


class Layer(NamedTuple):
    """Forward and backward time of a minibatch (together T_l), output bytes a_l, weight bytes w_l."""

    forward: float
    backward: float
    output: float
    weights: float


def parsed(text):
    """Layers of a profile file: `node -- name -- forward_compute_time=F, ...` in ms and bytes.

    Inputs are left out, as are lookups of a tensor's size, which take no time. Raises ValueError for a model with
    branches, which is no chain.
    """
    layers, follows = {}, {}
    for line in text.splitlines():
        parts = line.strip().split(" -- ")
        if len(parts) == 2:
            follows.setdefault(parts[0], []).append(parts[1])
        elif not parts[1].startswith(("Input", "Size")):
            pairs = (pair.split("=") for pair in parts[2].split(", "))
            value = {name: float(number) for name, number in pairs}
            layers[parts[0]] = Layer(
                value["forward_compute_time"] / 1000, value["backward_compute_time"] / 1000,
                value["activation_size"], value["parameter_size"],
            )  # fmt: skip
    after = {a: [b for b in some if b in layers] for a, some in follows.items() if a in layers}
    targets = {b for some in after.values() for b in some}
    (here,) = [name for name in layers if name not in targets]
    chain = [layers[here]]
    while after.get(here):
        (here,) = after[here]
        chain.append(layers[here])
    if len(chain) != len(layers):
        raise ValueError("the model is no chain")
    return chain


def compute(layers):
    """sum of T_l."""
    return sum(layer.forward + layer.backward for layer in layers)


def weights(layers):
    """sum of |w_l|."""
    return sum(layer.weights for layer in layers)


def stage_time(layers, replicas, bandwidth, alone=None):
    """T^k(i -> j, m) as published: the larger of computing and synchronising, shared by m replicas."""
    base = compute(layers) if alone is None else alone
    return max(base, 2 * (replicas - 1) * weights(layers) / bandwidth) / replicas


def splits(total, parts):
    """All ways of giving `total` machines to `parts` stages, at least one each."""
    for marks in combinations(range(1, total), parts - 1):
        edges = (0, *marks, total)
        yield tuple(b - a for a, b in pairwise(edges))


def partitions(layers, replicas, bandwidth, inner=None):
    """Slowest stage or boundary of every cut of the model into stages with these replicas, with the cut.

    A boundary sends activations forward and as many gradient bytes back: 2 a_s / B.
    """
    for marks in combinations(range(1, len(layers)), len(replicas) - 1):
        edges = (0, *marks, len(layers))
        parts = [layers[a:b] for a, b in pairwise(edges)]
        alone = [inner(part) if inner else None for part in parts]
        stages = [stage_time(p, m, bandwidth, t) for p, m, t in zip(parts, replicas, alone, strict=True)]
        boundaries = [2 * layers[cut - 1].output / bandwidth for cut in marks]
        yield max(stages + boundaries), marks


def best_partition(layers, machines, bandwidth):
    """A^L(1 -> N, m_L) by trying everything; the last of `machines` is the outermost level, all machines are used."""
    *below, count = machines
    *slower, speed = bandwidth
    inner = (lambda part: best_partition(part, below, slower)) if below else None
    return min(
        (time for parts in range(1, min(count, len(layers)) + 1) for replicas in splits(count, parts)
         for time, _ in partitions(layers, replicas, speed, inner)),
        default=inf,
    )  # fmt: skip


def _sums(layers):
    """Compute time and weights of the first n layers, n from 0 on."""
    parts = [layers[:n] for n in range(len(layers) + 1)]
    return [compute(part) for part in parts], [weights(part) for part in parts]


def recurrence(layers, machines, bandwidth):
    """The published recurrence on one level, for models too long to try everything."""
    done, held = _sums(layers)

    def stage(first, end, m):
        return max(done[end] - done[first], 2 * (m - 1) * (held[end] - held[first]) / bandwidth) / m

    @cache
    def best(end, m):
        options = [(stage(0, end, m), (m,))]
        for cut in range(1, end):
            sent = 2 * layers[cut - 1].output / bandwidth
            for last in range(1, m):
                time, before = best(cut, m - last)
                options.append((max(time, sent, stage(cut, end, last)), (*before, last)))
        return min(options, key=lambda option: option[0])

    return best(len(layers), machines)


def as_coded(layers, machines, bandwidth):
    """The authors' code on one level: synchronising is added, costs 4 (r-1) W / (B r), boundaries are shared, too.

    Communication is counted (the option `activation_compression_ratio` is 1).
    """
    done, held = _sums(layers)

    def stage(first, end, r):
        return (done[end] - done[first] + 4 * (r - 1) * (held[end] - held[first]) / (bandwidth * r)) / r

    @cache
    def best(end, m):
        found = stage(0, end, m)
        for cut in range(1, end):
            for r in range(1, m):
                sent = 2 * layers[cut - 1].output / (bandwidth * r)
                left = 2 * layers[end - 1].output / (bandwidth * r) if end < len(layers) else 0.0
                found = min(found, max(best(cut, m - r), stage(cut, end, r), sent, left))
        return found

    return best(len(layers), machines), stage(0, len(layers), machines)


def noam(replicas):
    """Minibatches admitted per replica of the input stage: ceil(workers / its replicas)."""
    return ceil(sum(replicas) / replicas[0])


class OneForwardOneBackward:
    """1F1B-RR pass by pass; `end[kind, stage, minibatch]` with kinds F and B.

    Minibatch m runs on replica m mod R_s. A worker runs NOAM - 1 forwards (of the pipeline that begins at its stage),
    then one forward and one backward in turn. A worker sends to the next stage and to the one before over two ports, in
    order. Replicas exchange gradients after every round, while they compute, with at most one exchange outstanding.
    """

    def __init__(self, replicas, forward, backward, transfer, sync):
        self.replicas, self.passes = replicas, {"F": forward, "B": backward}
        self.transfer, self.sync = transfer, sync
        self.end, self.arrival, self.port, self.sent = {}, {}, {}, {}
        self.updated = [[] for _ in replicas]

    def order(self, stage, replica, minibatches):
        """(kind, minibatch, backwards before it) of one worker."""
        own, warm = range(replica, minibatches, self.replicas[stage]), noam(self.replicas[stage:]) - 1
        order = [("F", m, 0) for m in own[:warm]]
        for i, m in enumerate(own):
            order += [("F", ahead, i) for ahead in own[warm + i : warm + i + 1]]
            order.append(("B", m, i))
        return order

    def run(self, minibatches):
        """Whoever can go on does, until nobody can; times depend on the orders only."""
        workers = [(s, r) for s, count in enumerate(self.replicas) for r in range(count)]
        left = {worker: self.order(*worker, minibatches)[::-1] for worker in workers}
        free = dict.fromkeys(workers, 0.0)
        while any(left.values()):
            for worker in workers:
                while left[worker]:
                    ready = self.ready(worker[0], *left[worker][-1])
                    if ready is None:
                        break
                    kind, m, _ = left[worker].pop()
                    free[worker] = self.end[kind, worker[0], m] = (
                        max(free[worker], ready) + self.passes[kind][worker[0]]
                    )
                    self.send(kind, worker[0])
                    if kind == "B":
                        self.exchange(worker[0], minibatches)
        return [self.end["B", 0, m] for m in range(minibatches)]

    def ready(self, stage, kind, m, backwards):
        """When input and weights of a pass are there; None: not known yet."""
        time = 0.0
        if backwards >= 2:
            if len(self.updated[stage]) < backwards - 1:
                return None
            time = self.updated[stage][backwards - 2]
        if stage > 0 if kind == "F" else stage < len(self.replicas) - 1:
            if (kind, stage, m) not in self.arrival:
                return None
            time = max(time, self.arrival[kind, stage, m])
        return time

    def send(self, kind, stage):
        """What has become ready goes over the ports, minibatch by minibatch."""
        to, replicas = stage + 1 if kind == "F" else stage - 1, self.replicas
        while 0 <= to < len(replicas) and (kind, stage, self.sent.get((kind, stage), 0)) in self.end:
            m = self.sent.get((kind, stage), 0)
            ports = [(kind, "out", stage, m % replicas[stage]), (kind, "in", to, m % replicas[to])]
            begin = max([self.end[kind, stage, m]] + [self.port.get(port, 0.0) for port in ports])
            self.arrival[kind, to, m] = begin + self.transfer[min(stage, to)]
            self.port.update(dict.fromkeys(ports, self.arrival[kind, to, m]))
            self.sent[kind, stage] = m + 1

    def exchange(self, stage, minibatches):
        """Updates of a stage, each after all backwards of its round and after the one before."""
        while True:
            begin = len(self.updated[stage]) * self.replicas[stage]
            ends = [self.end.get(("B", stage, m)) for m in range(begin, min(begin + self.replicas[stage], minibatches))]
            if not ends or None in ends:
                return
            self.updated[stage].append(max([*ends, *self.updated[stage][-1:]]) + self.sync[stage])


def period(ends, window):
    """Seconds per minibatch over the last whole windows of the middle of a run."""
    ends = sorted(ends)
    last = len(ends) * 3 // 4
    return (ends[last] - ends[last - window]) / window


def bytes_sent(parts, replicas):
    """All workers' bytes for one minibatch: 2 a_s over each boundary, 2 (m-1) / m of a stage's weights per replica.

    The exchange happens once for m minibatches.
    """
    boundaries = sum(2 * part[-1].output for part in parts[:-1])
    return boundaries + sum(2 * (m - 1) / m * weights(part) for part, m in zip(parts, replicas, strict=True))


def flush_loss(stages, flush):
    """GPipe on equal stages without communication: a flush of m minibatches takes m + S - 1 turns instead of m."""
    return 1 - flush / (flush + stages - 1)
