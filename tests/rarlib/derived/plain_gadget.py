"""GADGET computed by hand: utility, rings on a tree, a slot's optimum, the best horizon, and the three baselines.

Source: Yu, Tian, Ji, Wu, Rajan, Liu, INFOCOM 2022, sections IV to VI. Plain Python, in the paper's notation. Everything
is found by trying all placements, so instances are small.
"""

from functools import cache
from itertools import permutations, product
from math import exp, sqrt
from typing import NamedTuple


class Tree(NamedTuple):
    """Servers below racks below a core: GPUs, link and rack of each server, uplink of each rack; Gbit/s each way."""

    gpus: tuple
    link: tuple
    rack: tuple
    uplink: tuple


class RingJob(NamedTuple):
    """N_i, b_i, zeta_i, F_i (worker-slots, eq. 3), a_i, and the utility: lambda1 to lambda3, or C of C sqrt(k)."""

    most: int
    gbps: float
    zeta: float
    budget: float
    arrival: int
    priority: float
    slope: float = 0.0
    expected: float = 0.0


def sigmoid(job, worker_slots):
    """mu_i of section VI."""
    return job.priority / (1 + exp(-job.slope * (job.zeta * worker_slots - job.expected)))


def root(job, worker_slots):
    """mu_i = C sqrt(k) of section IV, concave as Theorem 6 requires."""
    return job.priority * sqrt(job.zeta * worker_slots)


def iteration_time(size, workers, bandwidth, speed, compute, overhead):
    """tau of eq. 1: 2(w-1) messages of d/w, w-1 of which are added up."""
    return size * (workers - 1) / workers * (2 / bandwidth + 1 / speed) + compute + overhead


@cache
def ring_load(tree, place, gbps):
    """Least bandwidth that a ring over these workers takes of each link, each way, over all orders of its workers.

    `place[s]` workers sit on server s. Each worker sends to the next one, up to the lowest common point of the tree and
    down again. The result is the order that is least on every link; the tree always has one.
    """
    workers = [s for s, count in enumerate(place) for _ in range(count)]
    loads = {_load_of(tree, order, gbps) for order in permutations(workers[1:]) for order in [(workers[0], *order)]}
    least = min(loads, key=sum)
    if not all(a <= b for other in loads for a, b in zip(least, other, strict=True)):
        raise AssertionError("no order is least on every link")
    return least


def _load_of(tree, order, gbps):
    """Traffic out of each server, out of each rack, into each server, into each rack."""
    servers, racks = len(tree.gpus), len(tree.uplink)
    up, down, rack_up, rack_down = [0.0] * servers, [0.0] * servers, [0.0] * racks, [0.0] * racks
    for here, there in zip(order, (*order[1:], order[0]), strict=True):
        if here != there:
            up[here] += gbps
            down[there] += gbps
        if tree.rack[here] != tree.rack[there]:
            rack_up[tree.rack[here]] += gbps
            rack_down[tree.rack[there]] += gbps
    return (*up, *rack_up, *down, *rack_down)


@cache
def placements(tree, job, left):
    """All ways of giving a job workers on servers: eq. 2, 5 and 11, and a ring that fits the links alone."""
    room = tree.link + tree.uplink + tree.link + tree.uplink
    most = min(job.most, left)
    found = []
    for place in product(*(range(min(int(most), gpus) + 1) for gpus in tree.gpus)):
        if sum(place) <= most:
            load = ring_load(tree, place, job.gbps) if any(place) else (0.0,) * len(room)
            if all(a <= b for a, b in zip(load, room, strict=True)):
                found.append((place, load))
    return found


def slot_allocations(tree, jobs, done, slot):
    """Workers per job of every allocation that one slot admits: eq. 4, 6 and 8 over all jobs together."""
    room = tree.gpus + tree.link + tree.uplink + tree.link + tree.uplink
    reached = {((), (0.0,) * len(room))}
    for i, job in enumerate(jobs):
        left = job.budget - done[i] if slot >= job.arrival else 0
        options = {(sum(place), place + load) for place, load in placements(tree, job, left)}
        reached = {
            ((*counts, count), total)
            for counts, used in reached
            for count, need in options
            for total in [tuple(a + b for a, b in zip(used, need, strict=True))]
            if all(a <= b + 1e-9 for a, b in zip(total, room, strict=True))
        }
    return {counts for counts, _ in reached}


def slot_optimum(tree, jobs, done, slot, utility):
    """Eq. 10: the largest gain of a slot, and workers per job that reach it."""

    def gain(counts):
        return sum(utility(j, z + y) - utility(j, z) for j, z, y in zip(jobs, done, counts, strict=True))

    best = max(slot_allocations(tree, jobs, done, slot), key=gain)
    return gain(best), best


def with_sizes(tree, jobs, done, slot, utility, sizes):
    """Lemma 7's left side: the largest gain when each job has the given ring size or none."""
    options = slot_allocations(tree, jobs, done, slot)
    kept = [o for o in options if all(y in (0, size) for y, size in zip(o, sizes, strict=True))]
    return max(sum(utility(j, z + y) - utility(j, z) for j, z, y in zip(jobs, done, o, strict=True)) for o in kept)


def greedy_horizon(tree, jobs, slots, utility):
    """Alg. 1 with every slot solved to optimality (alpha = 1 in Theorem 6)."""
    done = [0] * len(jobs)
    for slot in range(slots):
        _, counts = slot_optimum(tree, jobs, done, slot, utility)
        done = [z + y for z, y in zip(done, counts, strict=True)]
    return sum(utility(job, z) for job, z in zip(jobs, done, strict=True))


def best_horizon(tree, jobs, slots, utility):
    """The optimum over all sequences of allocations, arrivals known."""
    ends = {(0,) * len(jobs)}
    for slot in range(slots):
        ends = {
            tuple(z + y for z, y in zip(done, counts, strict=True))
            for done in ends
            for counts in slot_allocations(tree, jobs, done, slot)
        }
    return max(sum(utility(job, z) for job, z in zip(jobs, done, strict=True)) for done in ends)


def play(policy, jobs, gangs, gpus, slots):
    """Workers per slot of a baseline on one server, where placement is no matter: FIFO, Tiresias (las) or DRF.

    FIFO keeps the order of arrivals and lets nobody pass the first that finds no room; jobs hold their gang until they
    are done. Tiresias starts every slot with the job that has been served least. DRF gives one worker at a time to the
    job with the smallest share.
    """
    done, held, history = [0] * len(jobs), [], []
    for slot in range(slots):
        active = [i for i, job in enumerate(jobs) if slot >= job.arrival and done[i] < job.budget]
        now = dict.fromkeys(active, 0)
        free = gpus
        if policy == "fifo":
            held = [i for i in held if i in active]
            for i in held + [i for i in active if i not in held]:
                if gangs[i] > free:
                    break
                now[i], free = gangs[i], free - gangs[i]
            held = [i for i in active if now[i]]
        elif policy == "las":
            for i in sorted(active, key=lambda i: (done[i], i)):
                if gangs[i] <= free:
                    now[i], free = gangs[i], free - gangs[i]
        else:
            wishing = [i for i in active if jobs[i].most]
            while free and wishing:
                i = min(wishing, key=lambda i: (now[i], i))
                now[i], free = now[i] + 1, free - 1
                wishing = [i for i in wishing if now[i] < min(jobs[i].most, jobs[i].budget - done[i])]
        for i in active:
            done[i] = min(done[i] + now[i], jobs[i].budget)
        history.append(now)
    return done, history


def embedded_ratio(history):
    """Figures 5 and 6: embedded over active jobs, mean over the slots that have any, percent."""
    shares = [sum(count > 0 for count in now.values()) / len(now) for now in history if now]
    return 100 * sum(shares) / len(shares)


def deviations_of_ceiling(jobs, utility):
    """How many standard deviations a total utility lies above the mean of its ceiling.

    A job's utility stays below lambda1, which is a whole number of 1..100, all equally likely.
    """
    mean, deviation = 101 / 2 * jobs, sqrt((100**2 - 1) / 12 * jobs)
    return (utility - mean) / deviation
