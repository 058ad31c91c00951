"""What is told of a trace, against sums by hand and theory; profiles that are counted."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.traces.describe import describe_trace
from rarlib.traces.load import Trace, load_trace
from rarlib.traces.profile import profile_path, read_profile, write_profile
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import read_sources
from tools import calibrate_traces, published


def trace_of(starts: str = "", **columns: object) -> Trace:
    jobs = Jobs.build(**columns)
    facts = {"name": "t", "read": len(jobs) + 2, "kept": len(jobs), "dropped": {"CPU only": 2}, "starts": starts}
    return Trace(jobs, facts)


def value(tables: dict[str, pd.DataFrame], quantity: str) -> float:
    facts = tables["facts"]
    return float(facts.loc[facts["quantity"] == quantity, "value"].iloc[0])


def test_facts_by_hand() -> None:
    # GPU seconds: 1 x 3600 + 1 x 7200 + 8 x 3600 = 39,600 = 11 GPU h, over 7,200 s on 4 GPUs.
    tables = describe_trace(
        trace_of(submit_s=[0, 3600, 7200], gpus=[1, 1, 8], duration_s=[3600, 7200, 3600]),
        Cluster.parse("1x4"),
    )
    assert value(tables, "GPU time") == pytest.approx(11)
    assert value(tables, "offered load on 1x4") == pytest.approx(39_600 / 28_800)
    assert value(tables, "rows dropped: CPU only") == 2
    assert value(tables, "jobs per hour") == pytest.approx(1.0)  # two gaps in two hours
    sizes = tables["sizes"].set_index("gpus")
    assert sizes.loc[8, "share_gpu_time"] == pytest.approx(8 / 11)
    assert sizes.loc[1, "median_duration_s"] == 5400
    assert tables["durations"].set_index("quantile").loc[0.5, "duration_s"] == 3600


def test_poisson_arrivals_are_neither_bursty_nor_even() -> None:
    """Both indices are 1 for a Poisson process, 0 for even gaps; jobs in pairs double the dispersion."""
    rng = np.random.default_rng(3)
    times = np.cumsum(rng.exponential(30, 40_000))
    for submit, factor in ((times, 1.0), (np.repeat(times, 2), 2.0)):
        n = len(submit)
        tables = describe_trace(trace_of(submit_s=submit, gpus=[1] * n, duration_s=[1] * n))
        assert value(tables, "index of dispersion of counts in 10 minutes") == pytest.approx(factor, rel=0.1)
    even = trace_of(submit_s=np.arange(4000) * 30.0, gpus=[1] * 4000, duration_s=[1] * 4000)
    assert value(describe_trace(even), "coefficient of variation of gaps") == 0
    assert value(describe_trace(even), "index of dispersion of counts in an hour") == 0


@pytest.mark.real
def test_published_facts_of_philly(real: Callable[[str], Trace]) -> None:
    """Jeon et al., ATC 2019: most jobs ask for one GPU, larger jobs take most of the GPU time, arrivals are bursty."""
    sizes = describe_trace(real("philly-pollux"))["sizes"].set_index("gpus")
    assert sizes.loc[1, "share_jobs"] > 0.8
    assert sizes.loc[sizes.index > 1, "share_gpu_time"].sum() > 0.5


def _trace(jobs: Jobs, **facts: object) -> Trace:
    known = {"standin": False, "starts": "1970-01-01T00:30:00", "name": "toy", "sha256": "0"}
    return Trace(jobs, {**known, **facts})


def test_counts_by_hand() -> None:
    # Half past midnight plus 40 min is the second hour of the calendar, not the first of the trace.
    jobs = Jobs.build(submit_s=[0, 2400, 90_000], gpus=[1, 2, 1], duration_s=[5, 7, 9], vc=["a", "b", "a"])
    profile = calibrate_traces.from_traces([_trace(jobs)], "toy", "by hand")
    assert profile.starts == "1970-01-01T00:00:00"
    assert [i for i, n in enumerate(profile.arrivals["1"]) if n] == [0, 1, 25]
    assert profile.kinds == [["a", "", 1, 2], ["b", "", 2, 1]]
    assert profile.durations["1"][1][0] == 5
    assert profile.durations["1"][1][-1] == 9


def test_classes_hold_enough_jobs_to_hide_single_ones() -> None:
    # A class of three jobs would spell out three jobs.
    rng = np.random.default_rng(1)
    jobs = Jobs.build(submit_s=np.zeros(403), gpus=[1] * 200 + [8] * 200 + [64] * 3, duration_s=rng.random(403) * 1e4)
    assert list(calibrate_traces.from_traces([_trace(jobs, starts="")], "toy", "by hand").durations) == ["1", "8"]


@pytest.mark.parametrize("name", [pytest.param("helios-venus", marks=pytest.mark.real), *published.NAMES[1:]])
def test_published_profiles_are_the_committed_ones(name: str) -> None:
    # The committed statistics must be what the named command makes; solvers may differ in the last digits.
    if name == "helios-venus" and not _at_hand("helios-venus-arrivals"):
        pytest.skip("helios-venus-arrivals is not at hand; set RARLIB_MIRROR or run: rarlib sources fetch")
    made, committed = calibrate_traces.MAKERS[name](name), read_profile(profile_path(name))
    for field in ("about", "made_by", "made_from", "jobs", "starts", "bin_s", "statuses", "arrivals"):
        assert getattr(made, field) == getattr(committed, field)
    np.testing.assert_allclose([k[2:] for k in made.kinds], [k[2:] for k in committed.kinds], rtol=1e-4, atol=1e-6)
    assert list(made.durations) == list(committed.durations)
    for key, table in made.durations.items():
        np.testing.assert_allclose(table, committed.durations[key], rtol=1e-3, atol=0.1)


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("philly-pollux", "philly-pollux"), ("tiresias-60", "tiresias-60"), ("sia-saturn", "sia-saturn-2"),
        ("pollux", "pollux-6"),
    ],
)  # fmt: skip
def test_counted_profiles_are_the_committed_ones(
    name: str, source: str, tmp_path: Path, real: Callable[[str], Trace]
) -> None:
    real(source)
    write_profile(calibrate_traces.MAKERS[name](name), tmp_path / "p.json")
    assert (tmp_path / "p.json").read_text() == profile_path(name).read_text()


def _at_hand(source: str) -> bool:
    return at_hand(read_sources()[source][0]) is not None


def test_drawing_and_counting_again_agree(offline: Path) -> None:
    # The loop closes: statistics of a drawn trace are those it was drawn from, within sampling error.
    drawn = load_trace("philly-pollux")
    again = calibrate_traces.from_traces([Trace(drawn.jobs, {**drawn.provenance, "standin": False})], "loop", "test")
    original = read_profile(profile_path("philly-pollux"))
    assert sum(again.arrivals["1"]) == pytest.approx(sum(original.arrivals["1"]), rel=0.01)
    levels, before = original.durations["1"]
    after = np.interp(levels, *again.durations["1"])
    middle = slice(10, 100)
    np.testing.assert_allclose(after[middle], np.array(before)[middle], rtol=0.1)
