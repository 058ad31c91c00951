"""Drawn workloads against theory and SciPy, and laws that drew a trace are found again."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.traces.describe import window_counts
from rarlib.traces.laws.arrivals import Arrivals, Bursts
from rarlib.traces.laws.durations import BoundedPareto, LogNormal, Weibull
from rarlib.traces.laws.fit import fit_arrivals, fit_workload
from rarlib.traces.laws.fit_durations import fit_durations, largest_difference
from rarlib.traces.laws.spec import WorkloadSpec, drawn_trace, read_spec, write_spec
from rarlib.traces.load import Trace
from tests.circles import first

SPEC = """
arrivals:
  per_hour: 30
  bursts: {calm_s: 7200, burst_s: 1800, ratio: 8}
  batch_mean: 1.5
  by_hour: [1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 2, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1]
  by_weekday: [1, 1, 1, 1, 1, 0.5, 0.5]
sizes: {1: 7, 2: 1, 8: 2}
durations:
  1: {law: lognormal, median_s: 600, sigma: 1.5}
  8: {law: mixture, parts: [{weight: 2, law: weibull, scale_s: 300, shape: 0.5},
                            {weight: 3, law: pareto, least_s: 600, most_s: 1.0e+6, tail: 0.8}]}
"""
SCIPY = {
    LogNormal(600, 1.5): stats.lognorm(1.5, scale=600),
    Weibull(300, 0.5): stats.weibull_min(0.5, scale=300),
    BoundedPareto(60, 1e5, 0.8): stats.truncpareto(0.8, 1e5 / 60, scale=60),
}


@pytest.mark.parametrize(("law", "reference"), SCIPY.items(), ids=lambda each: type(each).__name__)
def test_distributions_are_those_of_scipy(law, reference) -> None:
    at = np.geomspace(1, 1e6, 200)
    np.testing.assert_allclose(law.cdf(at), reference.cdf(at), atol=1e-12)
    assert law.mean_s == pytest.approx(reference.mean(), rel=1e-9)


def test_hours_and_weekdays_have_their_weights() -> None:
    by_hour = tuple(1.0 + hour % 3 for hour in range(24))
    by_weekday = (1.0, 1.0, 2.0, 1.0, 1.0, 0.0, 0.5)
    times = Arrivals(60, by_hour, by_weekday).draw(60 * 24 * 7 * 10, 5)
    last = times[-1]
    times = times[times < 9 * 604_800]  # whole weeks
    position = (times // 3600).astype(int) % 168
    expected = np.outer(by_weekday, by_hour).ravel()
    counts = np.bincount(position, minlength=168)
    assert counts[expected == 0].sum() == 0
    here = expected > 0
    expected = expected[here] / expected.sum() * counts.sum()
    assert stats.chisquare(counts[here], expected).pvalue > 1e-3
    assert last == pytest.approx(10 * 604_800, rel=0.02)


@pytest.mark.parametrize("window_s", [600.0, 3600.0, 86_400.0])
def test_bursts_have_the_dispersion_of_theory(window_s: float) -> None:
    bursts = Bursts(7200, 1800, 8)
    times = Arrivals(60, bursts=bursts).draw(600_000, 2)
    counts = window_counts(times, window_s)
    assert counts.var() / counts.mean() == pytest.approx(bursts.dispersion(60 / 3600, window_s), rel=0.15)
    assert len(times) / times[-1] * 3600 == pytest.approx(60, rel=0.03)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "w.yaml").write_text(SPEC)
    return tmp_path / "w.yaml"


def test_sizes_and_durations_by_size(spec: Path) -> None:
    jobs = drawn_trace(spec, 20_000, 4).jobs
    counts = [(jobs.gpus == gpus).sum() for gpus in (1, 2, 8)]
    assert stats.chisquare(counts, np.array([0.7, 0.1, 0.2]) * 20_000).pvalue > 1e-3
    laws = read_spec(spec).durations
    for gpus, floor in ((1, 1), (2, 1), (8, 8)):
        assert stats.kstest(jobs.duration_s[jobs.gpus == gpus], laws[floor].cdf).pvalue > 1e-3
    assert abs(np.corrcoef(np.argsort(jobs.submit_s), jobs.gpus)[0, 1]) < 0.03


def test_the_expected_load_is_met(spec: Path) -> None:
    spec.write_text(SPEC.replace("  per_hour: 30\n", "") + "load: {target: 0.7, cluster: 16x8}\n")
    made = read_spec(spec)
    assert made.load_on(Cluster.parse("16x8")) == pytest.approx(0.7)
    jobs = drawn_trace(spec, 200_000, 1).jobs
    assert (jobs.gpus * jobs.duration_s).sum() / jobs.submit_s[-1] / 128 == pytest.approx(0.7, rel=0.05)


def test_a_spec_that_is_written_is_read_as_the_same(spec: Path) -> None:
    made = read_spec(spec)
    spec.write_text(write_spec(made, "of a test\nsecond line"))
    again = read_spec(spec)
    assert (again.arrivals, dict(again.durations)) == (made.arrivals, dict(made.durations))
    assert dict(again.sizes) == pytest.approx(dict(made.sizes))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("ratio: 8", "ratio: 1", "field arrivals.bursts.ratio: must be above 1"),
        ("ratio: 8", "rato: 8", "field arrivals.bursts: unknown key 'rato'"),
        (", ratio: 8", "", "field arrivals.bursts: is missing: ratio"),
        ("calm_s: 7200, burst_s: 1800", "calm_s: 0.001, burst_s: 0.001", "field bursts: more than"),
        ("batch_mean: 1.5", "batch_mean: 0.5", "field arrivals.batch_mean: must be at least 1"),
        ("batch_mean: 1.5", "batch_mean: many", "field arrivals.batch_mean: must be a number"),
        ("0.5, 0.5]", "0.5]", "field arrivals.by_weekday: must be 7 numbers"),
        ("sizes: {1: 7", "sizes: {0: 7", "field sizes: keys must be numbers of GPUs from 1"),
        ("sizes: {1: 7, 2: 1, 8: 2}", "sizes: {1: 0}", "field sizes: weights must be"),
        ("law: lognormal", "law: gaussian", "field durations.1: must be a mapping with a law: lognormal"),
        ("sigma: 1.5", "sigma: 0", "field durations.1.sigma: must be a number above 0"),
        ("sigma: 1.5", "sigma: 1.5, most_s: 1.0e-9", "field durations.1.most_s: leaves nothing"),
        ("sigma: 1.5", "sigma: 1.0e+9", "field duration_s: must be"),
        ("  1: {law: log", "  3: {law: log", "field durations: the first law must hold from 1 GPU on"),
        ("weight: 2, ", "", "field durations.8.parts.weight: must be a number"),
        ("law: weibull, scale_s: 300, shape: 0.5", "law: mixture, parts: []", "a part of a mixture is no mixture"),
        ("per_hour: 30", "per_hour: 1.0e-9", "field per_hour: more than"),
        ("per_hour: 30", "batch_mean: 1", "key 'batch_mean' is given twice"),
        ("sizes:", "load: {target: 0.5, cluster: 2x2}\nsizes:", "field load: either arrivals.per_hour or load"),
    ],
)
def test_a_bad_spec_is_named(spec: Path, old: str, new: str, complaint: str) -> None:
    assert old in SPEC
    spec.write_text(SPEC.replace(old, new))
    with pytest.raises(InputError, match=r"w\.yaml") as refused:
        drawn_trace(spec, 1000, 0)
    assert complaint in str(refused.value)


def trace_of(jobs: Jobs) -> Trace:
    return Trace(jobs, {"name": "t", "starts": "", "standin": False})


def drawn(law, n=20_000, seed=6):
    rng = np.random.default_rng(seed)
    return law.draw(rng.random(n), rng.random(n))


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


def test_distance_is_that_of_scipy() -> None:
    law, sample = LogNormal(900, 1.7), drawn(LogNormal(700, 1.5), 500)
    assert largest_difference(law, sample) == pytest.approx(stats.kstest(sample, law.cdf).statistic, abs=1e-9)


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
