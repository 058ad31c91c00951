"""An independent reading of Alg. 2, Alg. 3 and the baselines, written to be obvious: no kernels, no incremental state.

Everything is recomputed at every event from lists. Times are slots; iteration times follow the slotted model. Estimates
and the busy times they add up to are fractions, so that equally busy GPUs are exactly that.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass
class Gang:
    row: int
    size: int
    iterations: float
    tau0: float
    estimate: Fraction
    gpus: list = field(default_factory=list)
    start: float = math.nan
    finish: float = math.nan
    left: float = math.nan


@dataclass
class World:
    """Servers as lists of GPU numbers, and the constants of the slotted model."""

    servers: list
    extra: float
    alpha: float
    cap: float

    @property
    def gpus(self):
        return [g for server in self.servers for g in server]

    def on(self, gang):
        return [s for s, server in enumerate(self.servers) if set(server) & set(gang.gpus)]

    def tau(self, gang, sharers):
        servers = len(self.on(gang))
        if servers == 1:
            return min(self.cap, gang.tau0)
        f = sharers + self.alpha * (sharers - 1)
        return min(self.cap, gang.tau0 + self.extra * gang.tau0 * f + self.extra * gang.tau0 * servers)

    def per_slot(self, gang, running):
        spanning = [other for other in running if len(self.on(other)) > 1]
        p = max((sum(s in self.on(other) for other in spanning) for s in self.on(gang)), default=0)
        return math.floor(1 / self.tau(gang, max(1, p)) * (1 + 1e-12))


def pick_small(world, gang, rule, able, busy, used):
    """First `size` of the able GPUs in the order of the rule, or None."""
    if rule == "one-server":
        return pick_on_one_server(world, gang, able, busy, used)
    home = {g: s for s, server in enumerate(world.servers) for g in server}
    keys = {
        "pack": lambda g: (home[g] not in used, home[g], busy[g], g),
        "literal": lambda g: (busy[g], g),
        "first": lambda g: g,
    }
    chosen = sorted(able, key=keys[rule])[: gang.size]
    return chosen if len(chosen) == gang.size else None


def pick_on_one_server(world, gang, able, busy, used):
    """Alg. 2 avoids fragments: used servers before fresh ones, all workers on the first with space; else wait.

    A gang that is larger than every server cannot wait for one, so it is packed.
    """
    if gang.size > max(len(server) for server in world.servers):
        return pick_small(world, gang, "pack", able, busy, used)
    for s in [s for s in range(len(world.servers)) if s in used] + [
        s for s in range(len(world.servers)) if s not in used
    ]:
        space = sorted((g for g in able if g in world.servers[s]), key=lambda g: (busy[g], g))
        if len(space) >= gang.size:
            return space[: gang.size]
    return None


def pick_large(world, gang, widening, able, busy):
    """LBSGF."""
    ranked = sorted(
        range(len(world.servers)), key=lambda s: (sum(busy[g] for g in world.servers[s]) / len(world.servers[s]), s)
    )
    selected = set()
    for s in ranked:
        if len(selected) >= widening * gang.size:
            break
        selected |= set(world.servers[s])
    chosen = sorted((g for g in able if g in selected), key=lambda g: (busy[g], g))[: gang.size]
    return chosen if len(chosen) == gang.size else None


def _pick(world, gang, able, busy, used, *, kappa, widening, rule):
    if gang.size <= kappa:
        return pick_small(world, gang, rule, able, busy, used)
    return pick_large(world, gang, widening, able, busy)


def plan_idle(world, gangs, theta, **how):
    """Head-of-line planning on idle GPUs; None when some gang never fits."""
    busy, used, running, now = dict.fromkeys(world.gpus, 0), set(), [], 0
    waiting = list(gangs)
    while waiting or running:
        while waiting:
            gang = waiting[0]
            taken = {g for other in running for g in other.gpus}
            able = [g for g in world.gpus if g not in taken and busy[g] + gang.estimate <= theta]
            chosen = _pick(world, gang, able, busy, used, **how)
            if chosen is None:
                break
            gang.gpus, gang.start, gang.left = sorted(chosen), now, gang.iterations
            for g in chosen:
                busy[g] += gang.estimate
            used |= set(world.on(gang))
            running.append(waiting.pop(0))
        if not running:
            return None
        rates = {gang.row: world.per_slot(gang, running) for gang in running}
        step = min(math.ceil(gang.left / rates[gang.row]) for gang in running)
        now += step
        for gang in running:
            gang.left -= step * rates[gang.row]
            if gang.left <= 0:
                gang.finish = now
        running = [gang for gang in running if gang.left > 0]
    return max(gang.finish for gang in gangs)


def plan_queue(world, gangs, theta, *, limit="finish", rank="busy", **how):
    """Gangs queue at the latest release of their GPUs; None when some gang finds too few."""
    busy, clock, used = dict.fromkeys(world.gpus, 0), dict.fromkeys(world.gpus, 0.0), set()
    for gang in gangs:
        alone = math.ceil(gang.iterations / math.floor(1 / min(world.cap, gang.tau0) * (1 + 1e-12)))
        level, added = (clock, alone) if limit == "finish" else (busy, gang.estimate)
        able = [g for g in world.gpus if level[g] + added <= theta]
        chosen = _pick(world, gang, able, busy if rank == "busy" else clock, used, **how)
        if chosen is None:
            return None
        gang.gpus, gang.start = sorted(chosen), max(clock[g] for g in chosen)
        per_slot = math.floor(1 / world.tau(gang, 1) * (1 + 1e-12))
        gang.finish = gang.start + math.ceil(gang.iterations / per_slot)
        for g in chosen:
            clock[g] = gang.finish
            busy[g] += gang.estimate
        used |= set(world.on(gang))
    return max(gang.finish for gang in gangs)
