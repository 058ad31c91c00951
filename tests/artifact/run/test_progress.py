"""How far a run is, by the predicted work: arithmetic by hand, laws that hold for any run, the line a reader sees."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from artifact.run.progress import PRIOR_S, Planned, Progress, coarse

JOBS = [Planned(1, "trace", "philly", 10.0), Planned(2, "cell", "arena/runs/pollux", 60.0), Planned(3, "all", "", 0.0)]


def test_share_follows_the_work_and_not_the_count():
    progress = Progress(JOBS, cores=2)
    progress.start(1, 0.0)
    progress.end(1, 10.0)
    assert progress.pace() == pytest.approx(1.0)
    assert progress.share(10.0) == pytest.approx(10 / 70)
    progress.start(2, 10.0)
    assert progress.share(40.0) == pytest.approx(40 / 70)
    assert progress.left_s(40.0) == pytest.approx(30.0)  # one job is left, so the second core is of no use
    assert progress.share(1000.0) == pytest.approx(1.0)


def test_pace_seen_corrects_the_prediction():
    """On a machine at half the speed the time left doubles, the more so the more has been seen."""
    progress = Progress(JOBS, cores=1)
    before = progress.left_s(0.0)
    progress.start(1, 0.0)
    progress.end(1, 20.0)
    pace = (PRIOR_S + 20) / (PRIOR_S + 10)
    assert progress.left_s(20.0) == pytest.approx(60 * pace)
    assert progress.left_s(20.0) > before - 10.0
    assert progress.pace() == pytest.approx(pace)


@given(
    st.lists(st.tuples(st.floats(0, 1e4), st.floats(0.1, 10), st.booleans()), min_size=1, max_size=12),
    st.integers(1, 4),
)
@example([(0.0, 1.0, True)], 1)
@example([(0.0, 1.0, False)], 1)
def test_any_run_in_turn(jobs, cores):
    """The share stays in its bounds and the end is the end, however wrong the predictions; failed work is not done."""
    progress = Progress([Planned(i, "cell", str(i), s) for i, (s, _, _) in enumerate(jobs)], cores)
    now = 0.0
    for i, (seconds, factor, fails) in enumerate(jobs):
        progress.start(i, now)
        now += seconds * factor
        assert -1e-9 <= progress.share(now) <= 1 + 1e-9
        assert progress.left_s(now) >= 0
        progress.end(i, now, failed=fails)
    failed = {i for i, (_, _, fails) in enumerate(jobs) if fails}
    total = sum(s for s, _, _ in jobs)
    done = 1 - sum(jobs[i][0] for i in failed) / total if total else float(not failed)
    assert progress.share(now) == pytest.approx(done, abs=1e-6)
    assert progress.left_s(now) == 0
    assert progress.failed == failed


def test_line_names_what_is_running_and_for_how_long():
    progress = Progress(JOBS, cores=2)
    progress.start(1, 0.0)
    progress.start(2, 5.0)
    line = progress.line(75.0)
    assert "0 of 3 jobs" in line
    assert line.endswith("trace philly 1:15, cell arena/runs/pollux 1:10")
    progress.end(2, 76.0, failed=True)
    progress.end(1, 76.0)
    assert re.fullmatch(r" *\d+ % \| 1 of 3 jobs \| 1 failed", progress.line(80.0))


@given(st.floats(0, 1e6))
def test_coarse_time_is_near(seconds):
    """Rounded, never to nothing: half a minute off, or 10 s below 90 s."""
    units = {"s": 1, "min": 60, "h": 3600}
    told = sum(int(n) * units[unit] for n, unit in re.findall(r"(\d+) (s|min|h)\b", coarse(seconds)))
    assert told > 0
    assert abs(told - seconds) <= (10 if seconds < 90 else 30 + 1e-6)
