"""A pipeline simulated the plain way: time goes from event to event, everybody looks whether he can start.

Written from the description alone (workers, ports, rounds of updates), with lists and dictionaries; slow.
"""

from math import inf


def program(style, workers_of_stage, replica, minibatches, depth, flush):
    """Operations of one worker in order, as (kind, minibatch)."""
    own = [m for m in range(minibatches) if m % workers_of_stage == replica]
    if style == "gpipe":
        batches = [[m for m in own if m // flush == b] for b in range(minibatches)]
        return [op for batch in batches for op in [("F", m) for m in batch] + [("B", m) for m in batch]]
    forwards, backwards, order = [("F", m) for m in own], [("B", m) for m in own], []
    for _ in range(min(depth, len(own))):
        order.append(forwards.pop(0))
    while forwards:
        order += [forwards.pop(0), backwards.pop(0)]
    return order + backwards


class Worker:
    def __init__(self, stage, replica, order):
        self.stage, self.replica, self.order = stage, replica, order
        self.busy_until, self.backwards = 0.0, 0


class Naive:
    """One run; `times[kind, stage, minibatch] = (start, end)` with kinds F, B, A (activation), G (gradient)."""

    def __init__(self, pipeline, minibatches, style="1f1b", depths=None, flush=None, overlap=True):
        self.p, self.n, self.style, self.flush, self.overlap = pipeline, minibatches, style, flush, overlap
        self.counts = [int(count) for count in pipeline.replicas]
        depths = depths or [0] * len(self.counts)
        self.workers = [
            Worker(s, r, program(style, count, r, minibatches, depths[s], flush))
            for s, count in enumerate(self.counts)
            for r in range(count)
        ]
        self.times, self.updates, self.now = {}, {}, 0.0
        self.port_free, self.events = {}, {0.0}

    def run(self):
        while self.events:
            self.now = min(self.events)
            self.events.discard(self.now)
            while self.step():
                pass
        return self

    def done(self, *key):
        return self.times.get(key, (inf, inf))[1] <= self.now

    def note(self, key, seconds):
        self.times[key] = (self.now, self.now + seconds)
        self.events.add(self.now + seconds)

    def step(self):
        """Start whatever can start now; says whether anything did."""
        moved = [self.work(worker) for worker in self.workers]
        moved += [self.transfer(kind, s) for kind in "AG" for s in range(len(self.counts))]
        moved += [self.update(s) for s in range(len(self.counts))]
        return any(moved)

    def work(self, w):
        if not w.order or w.busy_until > self.now:
            return False
        (kind, m), last = w.order[0], len(self.counts) - 1
        if kind == "F" and w.stage > 0 and not self.done("A", w.stage - 1, m):
            return False
        if kind == "B" and not self.done(*(("G", w.stage + 1, m) if w.stage < last else ("F", last, m))):
            return False
        if not self.updated(w, m):
            return False
        seconds = float((self.p.forward_s if kind == "F" else self.p.backward_s)[w.stage])
        self.note((kind, w.stage, m), seconds)
        w.busy_until = self.now + seconds
        w.backwards += kind == "B"
        w.order.pop(0)
        return True

    def updated(self, w, m):
        """Whether the update that the worker must see is over."""
        needed = m // self.flush - 1 if self.style == "gpipe" else w.backwards - 1 - self.overlap
        return needed < 0 or self.updates.get((w.stage, needed), (inf, inf))[1] <= self.now

    def transfer(self, kind, s):
        """Start the transfers that can: each port takes one at a time, each worker's in order."""
        to, moved = s + (1 if kind == "A" else -1), False
        if not 0 <= to < len(self.counts):
            return False
        for m in range(self.n):
            if (kind, s, m) in self.times or not self.done("F" if kind == "A" else "B", s, m):
                continue
            out, into = ("out", kind, s, m % self.counts[s]), ("in", kind, to, m % self.counts[to])
            earlier = [
                k for k in range(m) if k % self.counts[s] == m % self.counts[s] or k % self.counts[to] == into[3]
            ]
            if any((kind, s, k) not in self.times for k in earlier):
                continue
            if max(self.port_free.get(out, 0.0), self.port_free.get(into, 0.0)) > self.now:
                continue
            seconds = float(self.p.transfer_s[min(s, to)])
            self.note((kind, s, m), seconds)
            self.port_free[out] = self.port_free[into] = self.now + seconds
            moved = True
        return moved

    def update(self, s):
        """Start the next update of a stage if all its backwards are over, and so is the update before."""
        u = sum(1 for stage, _ in self.updates if stage == s)
        size = self.flush if self.style == "gpipe" else self.counts[s]
        members = range(u * size, min((u + 1) * size, self.n))
        if not members or not all(self.done("B", s, m) for m in members):
            return False
        if u > 0 and self.updates[s, u - 1][1] > self.now:
            return False
        seconds = float(self.p.sync_s[s])
        self.updates[s, u] = (self.now, self.now + seconds)
        self.events.add(self.now + seconds)
        return True
