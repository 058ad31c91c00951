"""Communication policies in runs: against the exact mode of a case, by hand, and what must always hold."""

from math import inf

import numpy as np
import pytest
from link_replay import ALONE, SENDS, SHAPES, intervals, trace
from test_phased_links import C, S, Unlike, few

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.discovery import make_policy, make_scheduler
from rarlib.fabric.arranged import RingJob, arranged, ring_view, viewed_case
from rarlib.fabric.arrangement import Arrangement
from rarlib.fabric.case import BYTES_PER_GBIT, run_case
from rarlib.fabric.routing import ecmp
from rarlib.fabric.shapes import fat_tree, leaf_spine, one_switch
from rarlib.fabric.timetable import Timetable
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.simulator.engine import simulate
from tests.circles import first

ROUTED = {"leaf-spine": leaf_spine(4, 2, 3, 10.0, 5.0), "fat tree": fat_tree(4, 10.0, 5.0)}
PAIR = one_switch(2, 10.0)


class Fixed:
    """Arranges the same for ever, for the jobs that run; shifts only once."""

    name, label, paper = "fixed", "Fixed", ""

    def __init__(self, arrangement):
        self._found, self.views = arrangement, []

    def arrange(self, view):
        rows = {job.row for job in view.jobs}
        found = Arrangement(*({row: value for row, value in part.items() if row in rows} for part in self._found))
        found = found if not self.views else found._replace(shifts={})
        self.views.append(view)
        return found


def under(policy, shape, jobs, name="fifo", placement=None, seed=0, *, alpha=0.0, alone=ALONE, gpus=2, **options):
    cluster = laid_out(Cluster.of([gpus] * shape.servers), shape)
    placement = placement or ("spread" if shape is PAIR else "random")
    cost = on_fabric(alone, shape, alpha, seed, "flow", policy)
    return simulate(jobs, cluster, make_scheduler(name, {"placement": placement}), cost, restart_s=7.0, **options)


def as_case(run, shape, seed, alpha):
    """Jobs of a run that start together, as a view of rings and a case, from the shape and the record alone."""
    rings, iterations = [], []
    for job, start, _, nodes, starts in intervals(run):
        assert (start, starts, job) == (0.0, 0, len(rings))
        ring = sorted(nodes, key=lambda node: ([*(int(layer.group[node]) for layer in shape.layers[::-1])], node))
        compute_s = run.prices.base_s[job] + run.prices.server_s[job] * len(nodes)
        sent = run.prices.link_s[job] * 10.0 * BYTES_PER_GBIT
        rings.append(RingJob(tuple(ring), int(run.jobs.gpus[job]), sent, job, float(compute_s)))
        iterations.append(round(float(run.prices.work[job])))
    view = ring_view(shape, ecmp(shape, seed), rings, seed)
    case = viewed_case(view, "run", 1)._replace(alpha=alpha, leave=True)
    each = zip(case.jobs, iterations, strict=True)
    return view, case._replace(jobs=[job._replace(iterations=many) for job, many in each])


def ends_of(case):
    last = np.cumsum([job.iterations for job in case.jobs]) - 1
    return run_case(case).ends[last]


@pytest.mark.parametrize("shape", ROUTED.values(), ids=ROUTED)
@pytest.mark.parametrize("seed", range(3))
def test_priorities_paths_and_shifts_as_in_a_case(shape, seed):
    """Jobs that start at once and leave after their work under a given arrangement: all ends agree."""
    rng = np.random.default_rng(seed)
    jobs = few(rng.integers(9, 13, 5).tolist(), rng.integers(3, 9, 5).astype(float).tolist())
    alpha, gpus = 0.3 * (seed % 2), 64 // shape.servers
    plain = under(None, shape, jobs, seed=seed, alpha=alpha, gpus=gpus)
    view, case = as_case(plain, shape, seed, alpha)
    found = Arrangement(
        priorities={row: int(rng.integers(-2, 3)) for row in range(5)},
        paths={job.row: tuple(int(rng.integers(len(edge.paths))) for edge in job.edges) for job in view.jobs},
        shifts={row: float(rng.uniform(0.0, 1.0)) for row in (1, 3)},
    )
    ours = under(Fixed(found), shape, jobs, seed=seed, alpha=alpha, gpus=gpus).finish_s
    assert ours == pytest.approx(ends_of(arranged(case, view, found)), rel=1e-9)
    assert abs(ours - plain.finish_s).max() > 0.1, "the effect must be alive"


@pytest.mark.parametrize("shape", ROUTED.values(), ids=ROUTED)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["crux", "cassini"])
def test_policies_as_in_a_case_until_the_first_job_ends(shape, seed, name):
    """A policy sees the same in a run as in a case of rings; at the first end it is called anew."""
    rng = np.random.default_rng(seed)
    jobs = few(rng.integers(9, 13, 4).tolist(), rng.integers(6, 12, 4).astype(float).tolist())
    gpus = 64 // shape.servers
    alone = Unlike(share=0.5, overhead=0.01, gbps=10.0) if name == "crux" else ALONE
    policy = make_policy(name)
    run = under(policy, shape, jobs, seed=seed, alone=alone, gpus=gpus)
    view, case = as_case(run, shape, seed, 0.0)
    found = policy.arrange(view)
    ends = ends_of(arranged(case, view, found))
    first = int(np.argmin(ends))
    assert run.finish_s[first] == pytest.approx(ends[first], rel=1e-9)
    assert run.finish_s.min() == run.finish_s[first]
    assert any(found), "the policy must arrange something"


def test_the_view_of_a_run_is_that_of_its_rings():
    shape = ROUTED["fat tree"]
    jobs, policy = few([9, 7, 8], [5.0, 6.0, 7.0]), Fixed(Arrangement())
    run = under(policy, shape, jobs, seed=2, gpus=2)
    expected, _ = as_case(run, shape, 2, 0.0)
    ours = policy.views[0]

    def by_name(view, job):
        edges = [
            [({(view.links[link], times) for link, times in path.crossings}, path.hops) for path in edge.paths]
            for edge in job.edges
        ]
        return edges, [edge.taken for edge in job.edges], job.servers, job.gpus, job.key, job.row, job.offset_s

    assert [by_name(ours, job) for job in ours.jobs] == [by_name(expected, job) for job in expected.jobs]
    ours_gbps = dict(zip(ours.links, ours.gbps, strict=True))
    assert {link: ours_gbps[link] for link in expected.links} == dict(zip(expected.links, expected.gbps, strict=True))
    for one, other in zip(ours.jobs, expected.jobs, strict=True):
        assert (one.compute_s, one.flows[0].bytes_) == pytest.approx((other.compute_s, other.flows[0].bytes_))


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("name", ["fifo", "srtf"])
def test_fair_sharing_is_no_policy_to_the_bit(shape, name):
    plain, fair = (under(policy, shape, trace(5), name, "spread") for policy in (None, make_policy("fair")))
    for frame in ("jobs_frame", "allocations_frame", "details_frame"):
        assert getattr(plain, frame)().equals(getattr(fair, frame)())
    assert plain.links.equals(fair.links)
    assert plain.counters == fair.counters


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("name", first(1, ["srtf", "las"]))
@pytest.mark.parametrize("policy", ["crux", "cassini"])
def test_identities_and_never_faster_than_alone(shape, name, policy):
    """Identities are checked in every run, among them that no link carries more than it can."""
    run = under(make_policy(policy), shape, trace(5), name, "spread", alone=SENDS)
    assert (run.contention_s >= -1e-9).all()
    assert (run.contention_s > 0.0).any()
    assert run.links["carried_s"].max() <= run.finish_s.max()
    assert run.links["contention_s"].sum() == pytest.approx(run.contention_s.sum())


def test_a_shift_by_hand():
    """Two equal jobs with a duty below 1/2: shifted by what one sends, they never meet, though they start together."""
    jobs = few([2, 2], [100.0, 40.0])
    run = under(Fixed(Arrangement(shifts={1: S})), PAIR, jobs)
    assert run.finish_s == pytest.approx([100 * (C + S), S + 40 * (C + S)], rel=1e-12)
    assert run.contention_s == pytest.approx([0.0, S], abs=1e-9)


def test_a_shift_holds_from_the_next_iteration_on():
    """The second job comes in the middle of an iteration of the first, which it shifts to the one after."""

    class Late(Fixed):
        def arrange(self, view):
            self.views.append(view)
            return Arrangement(shifts={0: 0.3} if len(view.jobs) == 2 else {})

    policy = Late(Arrangement())
    run = under(policy, PAIR, few([2, 2], [10.0, 1.0], [0.0, 0.4 + 2 * (C + S)]))
    assert policy.views[1].jobs[0].offset_s == pytest.approx(0.4)
    # The second job computes until 0.4 + C of the first one's iteration, which sends from C to C + S alone.
    end = (C + S) * 3 + 0.3
    met = 0.4 + C + (C + S) * 2
    beside = (C + S) * 3 + (met - ((C + S) * 2 + C))  # while both send, each has half of the link
    assert met < beside
    assert end < run.finish_s[1]
    assert run.contention_s[0] == pytest.approx(run.finish_s[0] - 10 * (C + S))
    assert run.contention_s[0] > 0.3


def test_strict_priorities_interleave_two_equal_jobs():
    """With a duty below 1/2, the second one waits once: s, and no more."""
    run = under(Fixed(Arrangement(priorities={0: 1})), PAIR, few([2, 2], [100.0, 40.0]))
    assert run.finish_s == pytest.approx([100 * (C + S), S + 40 * (C + S)], rel=1e-12)


def test_timetables_as_in_a_case():
    """The second job is late by a tenth of a second more with each iteration, so the first one waits for it."""
    kept = {0: Timetable(0, C + S, 0.01), 1: Timetable(0, C + S - 0.1, 0.01)}
    found, jobs = Arrangement(shifts={1: S}, timetables=kept), few([2, 2], [30.0, 60.0])
    run = under(Fixed(found), PAIR, jobs)
    view, case = as_case(run, PAIR, 0, 0.0)
    assert run.finish_s[0] == pytest.approx(ends_of(arranged(case, view, found))[0], rel=1e-9)
    assert run.finish_s[0] > 1.1 * under(Fixed(found._replace(timetables={})), PAIR, jobs).finish_s[0]


def test_cassini_lets_two_jobs_take_turns():
    """Two equal jobs that start together and send less than half of the time never wait for each other, but once."""
    jobs = few([2, 2], [400.0, 400.0])
    period_s = C + S
    fair = under(None, PAIR, jobs)
    turns = under(make_policy("cassini"), PAIR, jobs)
    assert fair.finish_s == pytest.approx([400 * (C + 2 * S)] * 2)
    assert sorted(turns.finish_s)[0] == pytest.approx(400 * period_s, rel=0.01)
    assert sorted(turns.finish_s)[1] == pytest.approx(400 * period_s + period_s / 2, rel=0.01)


def test_what_cannot_be_is_refused():
    shape, jobs = PAIR, few([2, 2], [10.0, 10.0])
    with pytest.raises(InputError, match="job 7: is arranged but does not run"):
        under(Stray(), shape, jobs)
    with pytest.raises(InputError, match=r"policy: crux needs grade=flow: the law knows neither priorities nor phases"):
        on_fabric(ALONE, shape, policy=make_policy("crux"))


class Stray(Fixed):
    """Arranges a job that is not there."""

    def __init__(self):
        super().__init__(Arrangement())

    def arrange(self, view):
        return Arrangement(priorities={7: 1})


def test_runs_under_a_policy_repeat():
    shape = ROUTED["leaf-spine"]
    first, second = (under(make_policy("crux"), shape, trace(3), "las", "spread", seed=4, gpus=4) for _ in range(2))
    assert first.finish_s.tolist() == second.finish_s.tolist()
    assert inf > first.finish_s.max()
