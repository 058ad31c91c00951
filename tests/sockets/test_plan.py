"""The plan of trials, and the commands that make a link: all without root."""

from collections import Counter

import numpy as np
import pytest

from rarlib.fabric.case import BYTES_PER_GBIT, SendingJob, SharedCase, run_case
from rarlib.fabric.rings import Flow
from tools.sockets.compare import exact_times
from tools.sockets.link import link_commands, port_of, sent_bytes, server_names, shaping_commands
from tools.sockets.plan import EXCHANGE_BYTES, NOISE, QUEUES, RANKS, REPEATS, SEND_S, VALUES, computing, plan
from tools.sockets.ring import due_times, side_of


def test_every_cell_is_repeated_on_both_queues_and_the_first_repeat_comes_first():
    trials = plan()
    assert len(set(trials)) == len(trials)
    cells = Counter(trial._replace(queue="", repeat=0) for trial in trials)
    assert set(cells.values()) == {len(QUEUES) * REPEATS}
    assert [trial.repeat for trial in trials] == sorted(trial.repeat for trial in trials)


def test_a_job_sends_what_a_ring_sends():
    assert EXCHANGE_BYTES * RANKS == 2 * (RANKS - 1) * 4 * VALUES
    crossing = [rank for rank in range(RANKS) if side_of(rank) != side_of((rank + 1) % RANKS)]
    assert len(crossing) == 2
    for trial in plan():
        assert SEND_S / (SEND_S + trial.compute_s) == pytest.approx(trial.duty)


def test_exchanges_of_fixed_phases_end_before_the_next_ones_begin():
    for trial in plan():
        if trial.phases == "fixed":
            for job, seconds in enumerate(exact_times(trial, SEND_S)):
                due = due_times(trial, job, 5.0)
                assert next(due) - 5.0 == pytest.approx(job * trial.shift * SEND_S)
                assert 5.0 + job * trial.shift * SEND_S + seconds < 5.0 + trial.period_s
                assert next(due) - 5.0 == pytest.approx(job * trial.shift * SEND_S + trial.period_s)


def test_computing_times_are_those_of_the_exact_mode():
    flow = Flow(0.01 * BYTES_PER_GBIT, {"x": 1})
    case = SharedCase("one", {"x": 1.0}, [SendingJob("0", 0.5, 0.0, 20, (flow,), noise=NOISE, seed=4021)])
    took = np.diff(run_case(case).ends, prepend=0.0) - 0.01
    drawn = computing(0.5, NOISE, 4021)
    assert took == pytest.approx([next(drawn) for _ in took], abs=1e-12)
    steady = computing(0.5, 0.0, 4021)
    assert [next(steady), next(steady)] == [0.5, 0.5]


@pytest.mark.parametrize("queue", QUEUES)
def test_commands_stay_inside_the_namespaces(queue):
    """A command without `-n` would shape the network of the machine."""
    servers = server_names(123)
    assert len(set(servers) & set(server_names(124))) == 0
    commands = link_commands(servers) + [c for name in servers for c in shaping_commands(name, queue, 4, 100.0)]
    for command in commands:
        assert command[:3] in (
            ["ip", "netns", "add"],
            *([tool, "-n", name] for tool in ("ip", "tc") for name in servers),
        )
    made = [command for command in commands if "veth" in command]
    assert len(made) == 1
    assert made[0][-2:] == ["netns", servers[1]]


@pytest.mark.parametrize("jobs", [1, 2, 3, 4])
def test_classes_are_equal_and_do_not_promise_more_than_the_link_has(jobs):
    commands = shaping_commands("a", "class", jobs, 100.0)
    rates = [float(each["rate"].removesuffix("mbit")) for each in (_options(c) for c in commands if "class" in c)]
    whole, other, *own = rates
    assert len(own) == jobs
    assert whole == 100.0
    assert len(set(own)) == 1
    assert other + sum(own) <= whole + 1e-3
    assert {_options(c)["ceil"] for c in commands if "class" in c} == {"100mbit"}


def _options(command):
    at = command.index("htb") + 1
    return dict(zip(command[at::2], command[at + 1 :: 2], strict=True))


def test_filters_tell_jobs_apart_in_both_directions():
    filters = [c for c in shaping_commands("a", "class", 4, 100.0) if "filter" in c]
    for job in range(4):
        for rank in range(RANKS):
            for side in ("dport", "sport"):
                hit = {
                    c[c.index("flowid") + 1]
                    for c in filters
                    if side in c and port_of(job, rank) & int(c[c.index(side) + 2], 16) == int(c[c.index(side) + 1])
                }
                assert hit == {f"1:{10 + job}"}


def test_bytes_sent_are_those_of_the_root_queue():
    stated = (
        '[{"kind":"htb","handle":"1:","root":true,"bytes":1200,"drops":0},{"kind":"bfifo","parent":"1:10","bytes":7}]'
    )
    assert sent_bytes(stated) == 1200
