"""GADGET's evaluation slot by slot in plain Python: an independent reference for its runs on the simulator.

Alg. 2 itself is taken from the package (other tests hold it to its optimum); everything around it is written anew.
"""

import numpy as np

SLACK = 1e-9


class Free:
    """What is left of a network."""

    def __init__(self, network):
        self.gpus = network.capacity[:, 0].astype(int).tolist()
        self.link, self.up, self.rack = network.link_gbps.tolist(), network.rack_gbps.tolist(), network.rack.tolist()
        self.servers = range(len(self.gpus))

    def take(self, workers, gbps, sign=1):
        """Reserve for a job, or give back."""
        used = [s for s in self.servers if workers[s]]
        racks = {self.rack[s] for s in used}
        for s in used:
            self.gpus[s] -= sign * workers[s]
            if len(used) > 1:
                self.link[s] -= sign * gbps
        for r in racks if len(racks) > 1 else ():
            self.up[r] -= sign * gbps

    def reached(self, gbps, home=None):
        """Servers that a ring over several servers may use, in one rack or anywhere."""
        linked = [s for s in self.servers if self.gpus[s] and self.link[s] >= gbps - SLACK]
        if home is None:
            return [s for s in linked if self.up[self.rack[s]] >= gbps - SLACK]
        return [s for s in linked if self.rack[s] == home]

    def gang(self, count, gbps):
        """A whole gang, or None: on the fullest server, else in the fullest rack, else anywhere."""
        workers = [0] * len(self.gpus)
        hosts = [(self.gpus[s], s) for s in self.servers if self.gpus[s] >= count]
        if hosts:
            workers[min(hosts)[1]] = count
        else:
            parts = [(sum(self.gpus[s] for s in self.reached(gbps, r)), r) for r in range(len(self.up))]
            homes = [part for part in parts if part[0] >= count]
            pool = self.reached(gbps, min(homes)[1] if homes else None)
            if sum(self.gpus[s] for s in pool) < count:
                return None
            for s in sorted(pool, key=lambda s: (-self.gpus[s], s)):
                workers[s] = min(self.gpus[s], count - sum(workers))
        self.take(workers, gbps)
        return workers

    def one_more(self, workers, gbps):
        """One more worker for a job, in place: on its servers, else in its racks, else anywhere; whether there is one.

        What a ring reserves depends on all its servers, so the job is taken out first.
        """
        self.take(workers, gbps, -1)
        used = [s for s in self.servers if workers[s]]
        spare = [s for s in self.servers if self.gpus[s] > workers[s]]
        linked = [s for s in spare if self.link[s] >= gbps - SLACK]
        scopes = [spare] if not used else [[s for s in spare if s in used]]
        if used and all(self.link[s] >= gbps - SLACK for s in used):
            scopes.append([s for s in linked if self.rack[s] in {self.rack[u] for u in used}])
            if all(self.up[self.rack[s]] >= gbps - SLACK for s in used):
                scopes.append([s for s in linked if self.up[self.rack[s]] >= gbps - SLACK])
        found = next((scope for scope in scopes if scope), [])
        if found:
            workers[max(found, key=lambda s: (self.gpus[s] - workers[s], -s))] += 1
        self.take(workers, gbps)
        return bool(found)


def gangs(*, least_served, head_blocks, holds):
    """FIFO and Tiresias (LAS): whole gangs in an order."""
    held = {}

    def policy(problem, done):
        free, given = Free(problem.network), {}
        for row, job in enumerate(problem.job.tolist()):
            if holds and job in held:
                given[row] = held[job]
                free.take(held[job], problem.bandwidth[row])
        for row in sorted(range(len(problem)), key=lambda row: (done[row] if least_served else 0, row)):
            if row not in given:
                gang = free.gang(int(problem.largest[row]), problem.bandwidth[row])
                if gang is not None:
                    given[row] = gang
                elif head_blocks:
                    break
        held.update({int(problem.job[row]): workers for row, workers in given.items()})
        return given

    return policy


def shares(*, holds):
    """DRF: the smallest dominant share gets the next worker."""
    held, last = {}, {}

    def policy(problem, done):
        asked = problem.job.tobytes() + problem.largest.tobytes()
        if asked not in last:
            last.clear()
            last[asked] = fill(problem)
            held.update({int(problem.job[row]): list(workers) for row, workers in last[asked].items()})
        return last[asked]

    def fill(problem):
        network, free = problem.network, Free(problem.network)
        given = {row: [0] * network.servers for row in range(len(problem))}
        for row, job in enumerate(problem.job.tolist()):
            if holds and job in held:
                given[row] = list(held[job])
                while sum(given[row]) > problem.largest[row]:
                    given[row][max(s for s in free.servers if given[row][s])] -= 1
                free.take(given[row], problem.bandwidth[row])

        def share(row):
            servers = sum(count > 0 for count in given[row])
            reserved = problem.bandwidth[row] * servers if servers > 1 else 0.0
            return max(sum(given[row]) / network.capacity[:, 0].sum(), reserved / network.link_gbps.sum())

        asking = set(given)
        while asking:
            row = min(asking, key=lambda row: (share(row), row))
            full = sum(given[row]) >= problem.largest[row]
            if full or not free.one_more(given[row], problem.bandwidth[row]):
                asking.remove(row)
        return given

    return policy


def play(case, jobs, policy, slots):
    """Alg. 1 for any policy: workers of every slot, shape (slots, jobs, servers), and worker-slots, shape (jobs,)."""
    workers, done = np.zeros((slots, len(jobs), case.network.servers), np.int64), np.zeros(len(jobs))
    for slot in range(slots):
        active = np.flatnonzero((case.arrival <= slot) & (done < jobs.limit))
        if len(active):
            problem = jobs.slot(case.network, active, done)
            for row, given in policy(problem, done[active]).items():
                workers[slot, active[row]] = given
            assert problem.broken(workers[slot, active]) == ""
            done = np.minimum(done + workers[slot].sum(axis=1), jobs.limit)
    return workers, done
