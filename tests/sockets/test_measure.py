"""What is made of the exchanges that processes saw: all without root."""

import socket
import threading

import numpy as np
import pandas as pd
import pytest

from rarlib.model.errors import InputError
from tools.sockets import __main__ as tool
from tools.sockets.measure import JobRow, check_capacity, job_exchanges, rows_of
from tools.sockets.plan import RANKS, Trial, plan
from tools.sockets.ring import Exchange, all_reduce

FREE, FIXED = Trial("class", "free", 2, 0.5, 0.0, 0), Trial("fifo", "fixed", 2, 1.0, 0.5, 0)


def test_a_ring_of_sockets_sums():
    pairs = [socket.socketpair() for _ in range(RANKS)]  # of rank and the one after it
    values = [np.random.default_rng(rank).integers(0, 100, 1001).astype(np.float32) for rank in range(RANKS)]
    wanted = np.sum(values, axis=0)
    ranks = [
        threading.Thread(target=all_reduce, args=(values[rank], rank, pairs[rank - 1][1], pairs[rank][0]))
        for rank in range(RANKS)
    ]
    for thread in ranks:
        thread.start()
    for thread in ranks:
        thread.join(10.0)
    for pair in pairs:
        for end in pair:
            end.close()
    assert all((own == wanted).all() for own in values)


def test_a_ring_says_that_a_neighbour_has_ended():
    mine, theirs = socket.socketpair()
    after, reader = socket.socketpair()
    theirs.close()
    with mine, after, reader, pytest.raises(ConnectionError, match="has ended"):
        all_reduce(np.ones(8, np.float32), 0, mine, after)


def test_an_exchange_begins_with_its_last_rank_and_ends_with_its_last_rank():
    ranks = [[Exchange(0.0, 0.1, 1.0), Exchange(2.0, 2.2, 3.0)], [Exchange(0.0, 0.3, 0.9), Exchange(2.1, 2.1, 3.5)]]
    assert job_exchanges(ranks) == [Exchange(0.0, 0.3, 1.0), Exchange(2.1, 2.2, 3.5)]


def _exchanges(spans):
    return [Exchange(begin, begin, end) for begin, end in spans]


def test_iterations_of_free_phases_are_counted_after_the_first_two():
    """Job 0 ends at 10; what job 1 does later counts no more."""
    first = _exchanges([(1, 2), (3, 4), (5, 6), (7, 8), (9, 10)])
    second = _exchanges([(0, 1), (2, 3), (4, 4.5), (5, 6), (7, 9), (9.5, 11)])
    rows = rows_of(FREE, [first, second], 0.5, 0.9)
    assert rows[0] == JobRow(0, 3, 2.0, 1.0, 2.0, 0.5, 0.9)
    assert (rows[1].iterations, rows[1].iteration_s) == (3, pytest.approx((9 - 3) / 3))
    assert rows[1].exchange_s == pytest.approx((0.5 + 1 + 2) / 3)


def test_with_fixed_phases_exchanges_are_timed():
    """Job 0 leaves at 17, before the last exchange of job 1 has ended."""
    first = _exchanges([(0, 2), (5, 6), (10, 11), (15, 17)])
    second = _exchanges([(1, 3), (6, 7), (11, 11.5), (16, 18)])
    rows = rows_of(FIXED, [first, second], 0.0, 0.0)
    assert (rows[0].iterations, rows[0].iteration_s, rows[0].first_s) == (4, 1.5, 2.0)
    assert (rows[1].iterations, rows[1].exchange_s) == (3, pytest.approx(3.5 / 3))


def test_too_few_iterations_are_refused():
    with pytest.raises(InputError, match="a job did 1 iterations, at least 3"):
        rows_of(FREE, [_exchanges([(0, 1), (2, 3), (4, 5)])], 0.0, 0.0)


def test_more_than_the_link_carries_is_refused():
    """100 Mbit/s are 12.5 MB a second."""
    check_capacity([12_500_000, 0], 1.0)
    with pytest.raises(InputError, match=r"200 Mbit/s were sent over a link of 100 Mbit/s"):
        check_capacity([0, 25_000_000], 1.0)


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """Trials that take no time; gives those that were run."""
    ran = []

    def run(trial):
        if len(ran) == 5:
            raise KeyboardInterrupt
        ran.append(trial)
        return [JobRow(job, 5, 0.5, 0.5, 0.5, 0.1, 0.5) for job in range(trial.jobs)]

    monkeypatch.setattr(tool, "run_trial", run)
    monkeypatch.setattr(tool, "ROWS", tmp_path / "rows.csv")
    return ran


def test_a_plan_that_was_stopped_goes_on_where_it_was(bench, monkeypatch, capsys):
    with pytest.raises(KeyboardInterrupt):
        tool.measure(tool.ROWS, [])
    bench_of_first = list(bench)
    assert bench_of_first == plan()[:5]
    bench.clear()
    with pytest.raises(KeyboardInterrupt):
        tool.measure(tool.ROWS, [])
    assert bench == plan()[5:10]
    assert len(tool.missing_trials(tool.read_rows(tool.ROWS, tool.code_digest()))) == len(plan()) - 10
    assert f"{len(plan()) - 5} of {len(plan())} trials are left" in capsys.readouterr().out
    monkeypatch.setattr(tool, "code_digest", lambda: "other")
    assert len(tool.missing_trials(tool.read_rows(tool.ROWS, tool.code_digest()))) == len(plan())


def test_only_a_whole_plan_is_accepted(bench, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(tool, "TABLE", tmp_path / "sockets.csv")
    with pytest.raises(KeyboardInterrupt):
        tool.measure(tool.ROWS, ["free"])
    assert {trial.phases for trial in bench} == {"free"}
    assert tool.main(["--accept"]) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert not (tmp_path / "sockets.csv").exists()


def test_a_trial_that_fails_is_tried_again_and_then_named(bench, monkeypatch, capsys):
    tries = []

    def fails(trial):
        tries.append(trial)
        raise InputError("a sum is wrong", file="sockets")

    monkeypatch.setattr(tool, "run_trial", fails)
    with pytest.raises(InputError, match="a sum is wrong"):
        tool.measure(tool.ROWS, [])
    assert tries == [plan()[0]] * 3
    assert len(pd.DataFrame(tool.read_rows(tool.ROWS, tool.code_digest()))) == 0
