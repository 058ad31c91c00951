"""SJF-BCO computed by hand: eq. 6 to 9, Alg. 1 to 3, and the baselines LS and FF.

Source: Yu, Ji, Rajan, Liu, MobiHoc 2022, sections 4, 5 and 7. Plain Python, in the paper's notation; time is in slots.
What the paper leaves open is taken from its text: jobs wait for idle GPUs where Alg. 2 and 3 print "wait for an exit",
baselines queue on busy ones; U is reset for every limit; a schedule that is not complete counts for nothing.
"""

from math import ceil, floor, inf
from typing import NamedTuple


class Ring(NamedTuple):
    """One job: G_j GPUs, F_j iterations, gradient m_j, and Df_j M_j + Db_j in one number."""

    gpus: int
    iterations: int
    gradient: float
    compute: float


class Network(NamedTuple):
    """b^e, b^i, C, xi1, xi2 and alpha."""

    between: float
    within: float
    reduce: float
    xi1: float
    xi2: float
    alpha: float

    def tau(self, job, servers, k):
        """Eq. 8."""
        w = job.gpus
        bandwidth = self.within if servers == 1 else self.between / (k + self.alpha * (k - 1))
        ring = job.gradient / w * 2 * (w - 1) / bandwidth + job.gradient / w * (w - 1) / self.reduce
        return ring + self.xi2 * servers + job.compute


class Relative(NamedTuple):
    """What is left of eq. 8 where only iteration times are stated: contention and servers as fractions of them.

    `compute` of a job is then its iteration time on one server.
    """

    extra: float
    alpha: float
    xi1: float

    def tau(self, job, servers, k):
        """tau0 (1 + x (f(alpha, k) + servers)) on several servers."""
        return job.compute * (1 + (servers > 1) * self.extra * (k + self.alpha * (k - 1) + servers))


class Schedule(NamedTuple):
    """GPUs, start and completion of each job, and the largest accumulated time of a GPU (What_max)."""

    gpus: dict
    start: dict
    finish: dict
    busiest: float

    @property
    def makespan(self):
        return max(self.finish.values())

    @property
    def average(self):
        return sum(self.finish.values()) / len(self.finish)


def sharers(workers):
    """p_j of eq. 6. `workers[j][s]` = y_js > 0: workers of job j on server s, all jobs active."""
    gang = {j: sum(on.values()) for j, on in workers.items()}
    spanning = {j: [s for s, y in on.items() if 0 < y < gang[j]] for j, on in workers.items()}
    count = {}
    for servers in spanning.values():
        for s in servers:
            count[s] = count.get(s, 0) + 1
    return {j: max((count[s] for s in servers), default=0) for j, servers in spanning.items()}


def iteration_time(job, servers, p, net):
    """tau_j of eq. 8 with k_j = max(1, xi1 p_j) (eq. 7; below 1 a shared link were faster than an idle one)."""
    return net.tau(job, servers, max(1.0, net.xi1 * p))


def iterations_per_slot(job, servers, p, net):
    """phi_j: whole iterations of one slot."""
    return floor(1 / iteration_time(job, servers, p, net))


def slots(job, servers, p, net):
    """Length of a job whose sharers do not change (eq. 9)."""
    return ceil(job.iterations / iterations_per_slot(job, servers, p, net))


def bounds_of_iteration_time(job, largest_server, net):
    """tau^l and tau^u of section 5: one server and the whole bandwidth, or G_j servers and max O_s sharers."""
    fast = iteration_time(job, 1, 0, net)
    return fast, iteration_time(job, job.gpus, largest_server, net) if job.gpus > 1 else fast


class Running:
    """The active jobs; `advance` goes to the next slot in which one of them completes."""

    def __init__(self, jobs, net):
        self.jobs, self.net, self.now, self.left, self.workers = jobs, net, 0, {}, {}

    def start(self, j, servers):
        self.left[j] = self.jobs[j].iterations
        self.workers[j] = {s: servers.count(s) for s in set(servers)}

    def advance(self):
        """Between two completions or starts p_j and hence phi_j stay; eq. 9 then counts slots."""
        p = sharers(self.workers)
        phi = {j: iterations_per_slot(self.jobs[j], len(on), p[j], self.net) for j, on in self.workers.items()}
        step = min(ceil(self.left[j] / phi[j]) for j in self.left)
        self.now += step
        for j in self.left:
            self.left[j] -= step * phi[j]
        done = [j for j, rest in self.left.items() if rest <= 0]
        for j in done:
            del self.left[j], self.workers[j]
        return done


def _server_of(servers):
    """GPUs are numbered server by server."""
    return [s for s, size in enumerate(servers) for _ in range(size)]


def _fa_ffp(gang, able, busy, home, used):
    """Alg. 2 as its name and text say: servers already in use first, and the least busy GPUs on each."""
    return sorted(able, key=lambda g: (home[g] not in used, home[g], busy[g], g))[:gang]


def _lbsgf(gang, able, busy, home, servers, widening):
    """Alg. 3: the least busy servers that hold lambda G_j GPUs together, then their least busy GPUs."""
    load = [sum(b for b, h in zip(busy, home, strict=True) if h == s) / size for s, size in enumerate(servers)]
    chosen, room = set(), 0
    for s in sorted(range(len(servers)), key=lambda s: (load[s], s)):
        if room >= widening * gang:
            break
        chosen.add(s)
        room += servers[s]
    return sorted((g for g in able if home[g] in chosen), key=lambda g: (busy[g], g))[:gang]


def one_pass(jobs, servers, net, estimate, theta, kappa, widening):
    """Alg. 1, l. 9 to 16: one limit, one kappa. None when a job finds no GPUs and nothing runs."""
    home, run = _server_of(servers), Running(jobs, net)
    busy, idle, used = [0] * len(home), set(range(len(home))), set()
    result = Schedule({}, {}, {}, 0.0)
    for j in sorted(range(len(jobs)), key=lambda j: (jobs[j].gpus, j)):
        gang = jobs[j].gpus
        while True:
            able = [g for g in idle if busy[g] + estimate[j] <= theta]
            if gang <= kappa:
                picked = _fa_ffp(gang, able, busy, home, used)
            else:
                picked = _lbsgf(gang, able, busy, home, servers, widening)
            if len(picked) == gang:
                break
            if not run.left:
                return None
            _exit(run, result, idle)
        result.gpus[j], result.start[j] = sorted(picked), run.now
        idle -= set(picked)
        used |= {home[g] for g in picked}
        for g in picked:
            busy[g] += estimate[j]
        run.start(j, [home[g] for g in picked])
    while run.left:
        _exit(run, result, idle)
    return result._replace(busiest=max(busy))


def _exit(run, result, idle):
    for j in run.advance():
        result.finish[j] = run.now
        idle |= set(result.gpus[j])


def _bisect(attempt, horizon):
    """Alg. 1, l. 4 to 6 and 19 to 23: whole limits; smaller ones after an improvement, larger ones otherwise."""
    best, left, right = None, 1, horizon
    while left <= right:
        theta = (left + right) // 2
        found = attempt(theta)
        found = found if found and found.makespan <= horizon else None
        if found and (best is None or found.makespan < best.makespan):
            best, right = found, theta - 1
        else:
            left = theta + 1
    return best


def sjf_bco(jobs, servers, net, estimate, horizon, widening=1, kappas=None, shared=True):
    """Alg. 1 with one bisection for all kappa as printed, or with one for each (`shared` false)."""
    tried = kappas or range(1, max(job.gpus for job in jobs) + 1)

    def best_of(theta, among):
        found = [one_pass(jobs, servers, net, estimate, theta, kappa, widening) for kappa in among]
        complete = [schedule for schedule in found if schedule and schedule.makespan <= horizon]
        return min(complete, key=lambda schedule: schedule.makespan, default=None)

    if shared:
        return _bisect(lambda theta: best_of(theta, tried), horizon)
    each = [_bisect(lambda theta, kappa=kappa: best_of(theta, [kappa]), horizon) for kappa in tried]
    return min((schedule for schedule in each if schedule), key=lambda schedule: schedule.makespan, default=None)


def queue(jobs, servers, net, estimate, rule, theta=inf, limit="busy"):
    """LS (`rule` least) or FF (`rule` first) under a limit, queueing on busy GPUs. None when a job finds too few.

    The limit is on the accumulated estimated time U, or on the time at which the GPU is planned to be free (`finish`),
    to which the job's length on one server is added; the plan itself counts the servers and one sharer.
    """
    home = _server_of(servers)
    busy, clock = [0] * len(home), [0] * len(home)
    order = sorted(range(len(jobs)), key=lambda j: (jobs[j].gpus, j))
    placed = {}
    for j in order:
        more = slots(jobs[j], 1, 0, net) if limit == "finish" else estimate[j]
        level = clock if limit == "finish" else busy
        able = [g for g in range(len(home)) if level[g] + more <= theta]
        if rule == "least":
            able.sort(key=lambda g: (busy[g], g))
        if len(able) < jobs[j].gpus:
            return None
        placed[j] = sorted(able[: jobs[j].gpus])
        spread = len({home[g] for g in placed[j]})
        end = max(clock[g] for g in placed[j]) + slots(jobs[j], spread, min(1, spread - 1), net)
        for g in placed[j]:
            busy[g] += estimate[j]
            clock[g] = end
    return _served(jobs, net, home, order, placed)._replace(busiest=max(busy))


def _served(jobs, net, home, order, placed):
    """Each GPU serves its jobs in the order of placement; a gang starts when it is next on all its GPUs."""
    run, result, waiting, taken = Running(jobs, net), Schedule(placed, {}, {}, 0.0), list(order), set()
    while waiting or run.left:
        blocked = set(taken)
        for j in list(waiting):
            if not blocked & set(placed[j]):
                result.start[j] = run.now
                run.start(j, [home[g] for g in placed[j]])
                taken |= set(placed[j])
                waiting.remove(j)
            blocked |= set(placed[j])
        for j in run.advance():
            result.finish[j] = run.now
            taken -= set(placed[j])
    return result


def least_feasible(attempt, lowest=1, highest=10**6):
    """The schedule under the least whole limit that admits one, and this limit."""
    for theta in range(lowest, highest):
        found = attempt(theta)
        if found:
            return found, theta
    raise ValueError("no limit admits a schedule")
