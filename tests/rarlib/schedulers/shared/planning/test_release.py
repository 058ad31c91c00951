"""Releasing a plan, against queues followed by hand; busy times add up exactly."""

from types import SimpleNamespace

import numpy as np
import pytest

from rarlib.model.decisions import Start
from rarlib.model.seeds import stream
from rarlib.schedulers.shared.planning.release import Release
from rarlib.schedulers.sjf_bco import SjfBco
from tests.rarlib.schedulers.cases import naive, run_case, search, small_case
from tests.rarlib.schedulers.naive_planner import plan_idle, plan_queue

SERVERS = (3, 2, 4)
GPUS = sum(SERVERS)


def drawn_plan(rng):
    """Gangs on drawn GPUs in planned order, under drawn row numbers; the first ones, on GPUs of their own, run."""
    gangs = [np.sort(rng.choice(GPUS, int(rng.integers(1, 5)), replace=False)) for _ in range(int(rng.integers(1, 9)))]
    running, taken = 0, set()
    while running < len(gangs) and rng.random() < 0.6 and taken.isdisjoint(gangs[running].tolist()):
        taken.update(gangs[running].tolist())
        running += 1
    rows = rng.permutation(50)[: len(gangs)]
    at = np.concatenate([[0], np.cumsum([len(own) for own in gangs])])
    batch = SimpleNamespace(row=rows, at=at, gpus=np.concatenate(gangs), running=np.array([running]))
    return SimpleNamespace(batch=batch), dict(zip(rows.tolist(), (own.tolist() for own in gangs), strict=True)), running


def start_of(row, gpus, server):
    """The gang on its servers, ascending."""
    nodes = [int(server[gpu]) for gpu in gpus]
    return Start(row, tuple((node, nodes.count(node)) for node in sorted(set(nodes))))


@pytest.mark.parametrize("keeps_order", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_a_gang_starts_when_it_is_first_in_the_queue_of_each_of_its_gpus(seed, keeps_order):
    """Every pass some running gangs end, drawn at random, until all have run."""
    rng = stream(seed, "test-release")
    plan, gpus, running = drawn_plan(rng)
    server = np.repeat(np.arange(len(SERVERS)), SERVERS)
    release, order = Release(plan, server, keeps_order=keeps_order), list(gpus)
    queues = [[row for row in order if gpu in gpus[row]] for gpu in range(GPUS)]
    held, waits, ended = set(order[:running]), order[running:], 0
    while held or waits:
        expected = []
        for row in waits:
            if any(queues[gpu][0] != row for gpu in gpus[row]):
                if keeps_order:
                    break
                continue
            expected.append(row)
        got = release.starts(sorted(held))
        assert sorted(got) == sorted(start_of(row, gpus[row], server) for row in expected)
        if keeps_order:
            assert [start.job for start in got] == expected
        held.update(expected)
        waits = [row for row in waits if row not in expected]
        assert {row: own.tolist() for row, own in release.held().items()} == {row: gpus[row] for row in held}
        for row in [row for row in sorted(held) if rng.random() < 0.5]:
            held.remove(row)
            ended += 1
            for gpu in gpus[row]:
                queues[gpu].remove(row)
    assert ended == len(order)


def test_schedules_are_those_of_exact_arithmetic():
    """Sums of 0.05 F_j tie often, and one tie broken by a rounding error is another schedule."""
    for seed in range(150):
        case = small_case(1000 + seed, jobs=24)
        for idle, naively, rule in ((True, plan_idle, "pack"), (False, plan_queue, "literal")):
            for theta in (60.0, 1e9):
                world, gangs = naive(case)
                how = {"limit": "busy"} if not idle else {}
                makespan = naively(world, gangs, theta, kappa=2, widening=2.0, rule=rule, **how)
                plan = search(case, idle=idle, rule=rule, widening=2.0).improve(theta, 2, np.inf)
                assert (plan.makespan if plan else None) == makespan, (seed, idle, theta)
                if plan:
                    found = [
                        plan.batch.gpus[a:b].tolist() for a, b in zip(plan.batch.at, plan.batch.at[1:], strict=False)
                    ]
                    assert found == [gang.gpus for gang in gangs], (seed, idle, theta)


def test_runs_of_the_evaluation_do_not_depend_on_the_unit_of_time():
    """Estimates in another unit are the same estimates: tau-hat of 0.05 slot, or 50 with u = 1000."""
    for seed in range(10):
        case = small_case(seed)
        runs = [run_case(case, SjfBco(tau_hat=t, u=u, horizon=900.0)) for t, u in ((0.05, 1.0), (50.0, 1000.0))]
        assert runs[0].start_s.tolist() == runs[1].start_s.tolist()
        assert runs[0].alloc_node.tolist() == runs[1].alloc_node.tolist()
