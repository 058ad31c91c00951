"""What links carried over time, and whom jobs waited for, by the definition of a bin: drawn stretches of drawn jobs."""

import numpy as np
import pytest
from toys import Cost, jobs_of

from rarlib.cost.links import link_traffic
from rarlib.cost.links.link_traffic import account, account_all, find_tightest, no_traffic, skip
from rarlib.fabric.sharing import Sharing, enter
from rarlib.model.cluster import Cluster
from rarlib.model.seeds import stream
from rarlib.simulator.state import new_state

JOBS, LINKS = 4, 3


def drawn_sharing(rng):
    """Each job is on one link or more, in any order, and takes of each its own multiple of what it sends."""
    rings = [rng.permutation(LINKS)[: rng.integers(1, LINKS + 1)] for _ in range(JOBS)]
    ends = np.cumsum([len(ring) for ring in rings])
    sharing = Sharing(
        compute_s=rng.uniform(0.5, 2.0, JOBS), size=rng.uniform(0.5, 4.0, JOBS), send_s=np.ones(JOBS),
        begin=ends - [len(ring) for ring in rings], end=ends, link=np.concatenate(rings),
        times=rng.uniform(0.5, 2.0, ends[-1]), first_user=np.arange(LINKS) * JOBS, users=np.zeros(LINKS, np.int64),
        user=np.zeros(LINKS * JOBS, np.int64), user_times=np.zeros(LINKS * JOBS), changes=np.zeros(LINKS, np.int64),
        capacity=rng.uniform(0.5, 3.0, LINKS), alpha=0.0,
    )  # fmt: skip
    for job in range(JOBS):
        enter(sharing, job)
    return sharing


def by_link(sharing, job):
    """Link -> seconds that it takes for one exchange of a job."""
    places = range(sharing.begin[job], sharing.end[job])
    return {
        int(sharing.link[at]): float(sharing.times[at] * sharing.size[job] / sharing.capacity[sharing.link[at]])
        for at in places
    }


def tightest_of(sharing, sending_s, job):
    """The link on which the job's own seconds, times the share that others take, are most."""
    seconds = [by_link(sharing, other) for other in range(JOBS)]
    lap_s = [float(sharing.compute_s[other] + sending_s[other]) for other in range(JOBS)]
    weight = {
        link: own * sum(seconds[other].get(link, 0.0) / lap_s[other] for other in range(JOBS) if other != job)
        for link, own in seconds[job].items()
    }
    return max(weight, key=lambda link: weight[link])


def empty_state():
    jobs, cluster = jobs_of([(0, 1, 1)] * JOBS), Cluster.of([1])
    return new_state(jobs, cluster, Cost().price(jobs, cluster))


def inside(stretches, begin, end):
    """What stretches (begin, end, amount), each spread evenly, put between two times."""
    return sum(
        amount * max(min(last, end) - max(first, begin), 0.0) / (last - first) for first, last, amount in stretches
    )


@pytest.mark.parametrize("number", range(12))
def test_sums_over_drawn_stretches(number, monkeypatch):
    """Carried seconds link by link and bin by bin, and contention by the tightest link, from a list of stretches."""
    monkeypatch.setattr(link_traffic, "_MOST_BINS", 8)
    rng = stream(number, "load bins")
    sharing, s, traffic = drawn_sharing(rng), empty_state(), no_traffic(JOBS, LINKS)
    stretches, delays = {link: [] for link in range(LINKS)}, np.zeros(LINKS)
    since, sent, waited, tightest, now = np.zeros(JOBS), np.zeros(JOBS), np.zeros(JOBS), np.full(JOBS, -1), 0.0

    def note(job):
        for link, seconds in by_link(sharing, job).items():
            stretches[link].append((since[job], now, sent[job] * seconds))
        since[job], sent[job] = now, 0.0
        if tightest[job] >= 0:
            delays[tightest[job]] += waited[job]
            waited[job] = 0.0

    for _ in range(30):
        now += float(rng.choice([rng.uniform(0.01, 2.0), 0.25, 1.0]))
        job, laps, delay = int(rng.integers(JOBS)), *rng.uniform(0.0, 3.0, 2)
        s.job["laps"][job] += laps
        s.job["contention_s"][job] += delay
        s.job["settled"] = now
        sent[job] += laps
        waited[job] += delay
        what = rng.random()
        if what < 0.2:  # all of it happened on other links
            skip(traffic, s, job)
            since[job], sent[job], waited[job] = now, 0.0, 0.0
        elif what < 0.8:
            account(traffic, sharing, s, job)
            note(job)
        if rng.random() < 0.5:
            sending_s = rng.uniform(0.5, 5.0, JOBS)
            find_tightest(traffic, sharing, sending_s, job)
            tightest[job] = tightest_of(sharing, sending_s, job)
        assert traffic.tightest.tolist() == tightest.tolist()
    on = np.array([True, True, False, True])
    now += 1.0
    s.job["settled"] = now
    account_all(traffic, sharing, on, s)
    for job in np.flatnonzero(on):
        note(job)
    bin_s = 1.0
    while 8 * bin_s < now:
        bin_s *= 2.0
    assert traffic.bin_s.tolist() == [bin_s]
    load = [[inside(stretches[link], at * bin_s, (at + 1) * bin_s) for at in range(8)] for link in range(LINKS)]
    assert traffic.load_s == pytest.approx(np.array(load), rel=1e-9, abs=1e-9)
    assert traffic.carried_s == pytest.approx([sum(each[2] for each in stretches[link]) for link in range(LINKS)])
    assert traffic.contention_s == pytest.approx(delays)


@pytest.mark.parametrize("links", [1, 12, 2**14, 2**14 + 1, 2**18, 2**21, 2**22])
def test_bins_are_a_power_of_two_and_few(links):
    """The most bins that are a power of two up to 256 and do not exceed 2**22 over all links; 2 at least."""
    bins = no_traffic(1, links).load_s.shape[1]
    expected = max(2**k for k in range(1, 9) if k == 1 or 2**k * links <= 2**22)
    assert bins == expected
