"""Cases by hand, and a slow second simulator in fractions, for the tests of fabrics."""

from fractions import Fraction

from rarlib.fabric.case import SendingJob, SharedCase
from rarlib.fabric.routing import Flow

GBPS = 8.0  # one byte a nanosecond: 1e9 bytes are a second


def sender(name, compute_s, send_s, links="x", start_s=0.0, iterations=60, **more):
    """A job that sends for `send_s` over idle links of 8 Gbit/s."""
    crossed = dict.fromkeys(links, 1) if isinstance(links, str) else links
    flow = Flow(send_s * 1e9, crossed)
    return SendingJob(name, compute_s, start_s, iterations, (flow,), **more)


def shared(*jobs, links="x", gbps=GBPS, **more):
    capacities = links if isinstance(links, dict) else dict.fromkeys(links, gbps)
    return SharedCase("case", capacities, jobs, **more)


def shares(flows, capacity, alpha):
    """Max-min rates by definition, in fractions: raise all together, fix those on a full link, per priority."""
    rate = {}
    left = {}
    for link, whole in capacity.items():
        n = sum(link in crossed for _, crossed, _ in flows.values())
        left[link] = whole * n / (n + alpha * (n - 1)) if n else whole
    for level in sorted({level for *_, level in flows.values()}, reverse=True):
        growing = {name for name, (*_, own) in flows.items() if own == level}
        while growing:
            weight = {link: sum(flows[name][1].get(link, 0) for name in growing) for link in capacity}
            step = min(left[link] / weight[link] for link in capacity if weight[link])
            full = {link for link in capacity if weight[link] and left[link] == step * weight[link]}
            stopped = {name for name in growing if full & flows[name][1].keys()}
            for name in stopped:
                rate[name] = step
                for link, times in flows[name][1].items():
                    left[link] -= times * step
            growing -= stopped
    return rate


def exact_ends(case, iterations):
    """Ends of iterations of all jobs in fractions: no rounding, no memory of rates, one event at a time."""
    capacity = {link: Fraction(gbps) * 125_000_000 for link, gbps in case.links.items()}
    jobs = dict(enumerate(case.jobs))
    due = {j: Fraction(job.start_s) + Fraction(job.compute_s) for j, job in jobs.items()}
    left, ends, now = {}, {j: [] for j in jobs}, Fraction(0)
    flow = {
        (j, i): (Fraction(one.bytes_), dict(one.links), job.priority)
        for j, job in jobs.items()
        for i, one in enumerate(job.flows)
    }
    while any(len(ends[j]) < iterations for j in jobs):
        rate = shares({name: flow[name] for name in left}, capacity, Fraction(case.alpha))
        times = [now + left[name] / rate[name] for name in left if rate[name] > 0]
        then = min([*due.values(), *times])
        left = {name: size - rate[name] * (then - now) for name, size in left.items()}
        now = then
        over = {j for j in jobs if any(name[0] == j for name in left)}
        left = {name: size for name, size in left.items() if size > 0}
        over -= {name[0] for name in left}
        for j in [j for j, time in due.items() if time == now]:
            del due[j]
            left |= {name: flow[name][0] for name in flow if name[0] == j}
        for j in over:
            ends[j].append(now)
            if not (case.leave and len(ends[j]) == jobs[j].iterations):
                due[j] = now + Fraction(jobs[j].compute_s)
    return [[float(end) for end in ends[j][:iterations]] for j in jobs]
