"""Fits: laws that drew a trace are found again; scipy's fits agree; a drawn trace is near the recorded one."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rarlib.cli.main import main
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.traces.laws.arrivals import Arrivals, Bursts
from rarlib.traces.laws.durations import BoundedPareto, DurationMixture, LogNormal, Weibull
from rarlib.traces.laws.fit import fit_arrivals, fit_workload
from rarlib.traces.laws.fit_durations import fit_durations, largest_difference
from rarlib.traces.laws.spec import WorkloadSpec, read_spec
from rarlib.traces.load import Trace
from tests.circles import first


def trace_of(jobs: Jobs) -> Trace:
    return Trace(jobs, {"name": "t", "starts": "", "standin": False})


def drawn(law, n=20_000, seed=6):
    rng = np.random.default_rng(seed)
    return law.draw(rng.random(n), rng.random(n))


def test_a_lognormal_law_is_found_again() -> None:
    found = fit_durations(drawn(LogNormal(900, 1.7)))
    assert isinstance(found, LogNormal)
    assert found.median_s == pytest.approx(900, rel=0.05)
    assert found.sigma == pytest.approx(1.7, rel=0.02)


@pytest.mark.parametrize("shape", [0.5, 2.0])
def test_a_weibull_law_is_found_again_as_by_scipy(shape: float) -> None:
    sample = np.maximum(drawn(Weibull(5e6, shape)), 0.5)
    found = fit_durations(sample)
    assert isinstance(found, Weibull)
    theirs, _, scale = stats.weibull_min.fit(sample, floc=0)
    assert (found.shape, found.scale_s) == (pytest.approx(theirs, rel=1e-3), pytest.approx(scale, rel=1e-3))


def test_a_heavy_tail_is_found_again() -> None:
    found = fit_durations(drawn(BoundedPareto(60, 1e6, 0.8)))
    assert isinstance(found, BoundedPareto)
    assert found.tail == pytest.approx(0.8, rel=0.03)
    assert found.least_s == pytest.approx(60, rel=0.01)


def test_two_kinds_of_jobs_are_told_apart() -> None:
    found = fit_durations(drawn(DurationMixture((0.3, 0.7), (LogNormal(60, 0.4), LogNormal(20_000, 0.8)))))
    assert isinstance(found, DurationMixture)
    assert found.weights == pytest.approx((0.3, 0.7), abs=0.02)
    assert [part.median_s for part in found.parts] == pytest.approx([60, 20_000], rel=0.05)


def test_distance_is_that_of_scipy() -> None:
    law, sample = LogNormal(900, 1.7), drawn(LogNormal(700, 1.5), 500)
    assert largest_difference(law, sample) == pytest.approx(stats.kstest(sample, law.cdf).statistic, abs=1e-9)


@pytest.mark.parametrize("durations", [[5.0], [0.0, 0.0], [7.0] * 80, [1.0, 2.0], [0.0] * 60 + [1e9]])
def test_odd_durations_have_a_law(durations: list[float]) -> None:
    law = fit_durations(np.array(durations))
    assert np.isfinite(drawn(law, 100)).all()


def test_hours_and_batches_are_found_again() -> None:
    by_hour = tuple(1.0 + (8 <= hour < 20) for hour in range(24))
    law = Arrivals(120, by_hour, (1, 1, 1, 1, 1, 0.4, 0.4), batch_mean=2)
    found = fit_arrivals(law.draw(120 * 24 * 7 * 8, 1))
    assert found.per_hour == pytest.approx(120, rel=0.03)
    assert found.batch_mean == pytest.approx(2, rel=0.02)
    assert found.week == pytest.approx(law.week, rel=0.15)
    assert found.bursts is None


def test_poisson_arrivals_have_no_bursts() -> None:
    found = fit_arrivals(Arrivals(60).draw(60 * 24 * 30, 2))
    assert found.bursts is None
    assert found.per_hour == pytest.approx(60, rel=0.03)


@pytest.mark.parametrize("bursts", [Bursts(7200, 1800, 8), Bursts(36_000, 4000, 20)])
def test_bursts_are_found_again(bursts: Bursts) -> None:
    """Lengths within a factor of 2, the dispersion of counts in an hour within a quarter."""
    found = fit_arrivals(Arrivals(120, bursts=bursts).draw(500_000, 3)).bursts
    assert found is not None
    for name in ("calm_s", "burst_s", "ratio"):
        assert 0.5 < getattr(found, name) / getattr(bursts, name) < 2, name
    for window_s in (600, 3600, 14_400):
        ours, theirs = (each.dispersion(120 / 3600, window_s) for each in (found, bursts))
        assert ours == pytest.approx(theirs, rel=0.25)


def test_sizes_and_classes_are_found_again() -> None:
    spec = WorkloadSpec(Arrivals(60), {1: 0.7, 4: 0.1, 8: 0.2}, {1: LogNormal(300, 1.0), 8: LogNormal(9000, 1.4)})
    found = fit_workload(trace_of(spec.draw(30_000, 1)))
    assert dict(found.spec.sizes) == pytest.approx(dict(spec.sizes), abs=0.01)
    for gpus, median, sigma in ((1, 300, 1.0), (4, 300, 1.0), (8, 9000, 1.4)):
        law = found.spec.law_of(gpus)
        assert isinstance(law, LogNormal)
        assert (law.median_s, law.sigma) == (pytest.approx(median, rel=0.1), pytest.approx(sigma, rel=0.05))
    assert found.classes["distance"].max() < 0.02
    assert found.checks["ratio"].between(0.75, 1.33).all()


@pytest.mark.parametrize(
    ("gpus", "floors"), [([1], [1]), ([8] * 90, [1]), ([1] * 90 + [8] * 60, [1, 8]), ([1] * 90 + [8], [1])]
)
def test_classes_with_few_jobs_join_the_one_below(gpus: list[int], floors: list[int]) -> None:
    jobs = Jobs.build(submit_s=[0.0] * len(gpus), gpus=gpus, duration_s=np.arange(len(gpus)) + 1.0)
    assert list(fit_workload(trace_of(jobs)).spec.durations) == floors


def test_what_is_missed_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Within a class of sizes, lengths are independent of GPU counts; here the largest jobs are the longest."""
    rows = "".join(f"{60 * i},{512 if i % 10 == 0 else 8},{1e5 if i % 10 == 0 else 10 + i % 7}\n" for i in range(2000))
    (tmp_path / "t.csv").write_text("submit_s,gpus,duration_s\n" + rows)
    with pytest.raises(SystemExit) as end:
        main(["fit", str(tmp_path / "t.csv"), "--out", str(tmp_path / "w.yaml")])
    assert end.value.code == 0
    said = capsys.readouterr().out
    assert "the laws miss, by a factor of more than 1.5: " in said
    assert "GPUs requested on average" in said.partition("the laws miss")[2]
    assert read_spec(tmp_path / "w.yaml").sizes == pytest.approx({8: 0.9, 512: 0.1})


def test_laws_of_a_stand_in_say_so_in_lines_of_their_own(offline: Path, tmp_path: Path, capsys) -> None:
    """On the screen as in the file, where they are comments; no line break is shown by its number."""
    with pytest.raises(SystemExit) as end:
        main(["fit", "philly-pollux", "--limit", "300", "--out", str(tmp_path / "w.yaml")])
    assert end.value.code == 0
    said = capsys.readouterr().out
    about = ["These jobs were drawn from statistics, not recorded."]
    assert said.splitlines()[1:2] == about and "\\x0a" not in said
    assert (tmp_path / "w.yaml").read_text().splitlines()[1:2] == [f"# {about[0]}"]


@pytest.mark.real
@pytest.mark.parametrize("name", first(1, ["tiresias-60", "philly-pollux", "pai-sample"]))
def test_a_drawn_trace_is_near_the_recorded_one(name: str, real: Callable[[str], Trace]) -> None:
    """Sizes, rate and quantiles up to 90 % within a factor of 1.5; of a thousand jobs, 99 % and GPU time within 2."""
    trace = real(name)
    checks = fit_workload(trace).checks.set_index("quantity")["ratio"]
    tail = ["99% quantile of durations (s)", "GPUs requested on average"]
    near = [row for row in checks.index if "quantile" in row or row in ("mean GPUs", "jobs per hour")]
    assert len(near) >= 7
    assert checks[near].drop(tail, errors="ignore").between(1 / 1.5, 1.5).all(), checks
    assert len(trace.jobs) < 1000 or checks[tail].between(0.5, 2).all(), checks


def test_jobs_that_arrive_faster_than_a_law_may_say_are_refused():
    """Three jobs in a microsecond are 1.08e10 in an hour; a file of laws may have 1e10."""
    with pytest.raises(InputError, match=r"1.08e\+10 jobs arrive in an hour"):
        fit_arrivals(np.array([0.0, 5e-7, 1e-6]))
