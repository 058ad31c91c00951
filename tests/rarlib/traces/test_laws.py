"""Drawn workloads against theory and SciPy, and errors that name what is wrong with laws."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.traces.laws.arrivals import Arrivals, Bursts
from rarlib.traces.laws.durations import BoundedPareto, LogNormal, Weibull
from rarlib.traces.laws.spec import drawn_trace, read_spec

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
    place = np.linspace(0.0, 0.999, 200)
    np.testing.assert_allclose(law.draw(place, place), reference.ppf(place), rtol=1e-9)
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


def dispersion(bursts: Bursts, per_s: float, window_s: float) -> float:
    """Index of dispersion of counts (Heffes and Lucantoni, 1986; the docstring of the law has the formula)."""
    q, (calm, burst) = 1 / bursts.calm_s + 1 / bursts.burst_s, bursts.factors
    spread = bursts.share * (1 - bursts.share) * (burst - calm) ** 2 * per_s
    return 1 + 2 * spread / q * (1 + math.expm1(-q * window_s) / (q * window_s))


@pytest.mark.parametrize("window_s", [600.0, 3600.0, 86_400.0])
def test_bursts_have_the_dispersion_of_theory(window_s: float) -> None:
    bursts = Bursts(7200, 1800, 8)
    times = Arrivals(60, bursts=bursts).draw(600_000, 2)
    counts = np.bincount((times // window_s).astype(int))[:-1]
    assert counts.var() / counts.mean() == pytest.approx(dispersion(bursts, 60 / 3600, window_s), rel=0.15)
    assert len(times) / times[-1] * 3600 == pytest.approx(60, rel=0.03)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "w.yaml").write_text(SPEC)
    return tmp_path / "w.yaml"


def test_sizes_and_durations_by_size(spec: Path) -> None:
    jobs = drawn_trace(spec, 20_000, 4).jobs
    counts = [(jobs.gpus == gpus).sum() for gpus in (1, 2, 8)]
    assert stats.chisquare(counts, np.array([0.7, 0.1, 0.2]) * 20_000).pvalue > 1e-3
    short = SCIPY[LogNormal(600, 1.5)].cdf
    weibull, pareto = SCIPY[Weibull(300, 0.5)], stats.truncpareto(0.8, 1e6 / 600, scale=600)
    laws = {1: short, 2: short, 8: lambda x: 0.4 * weibull.cdf(x) + 0.6 * pareto.cdf(x)}
    for gpus, law in laws.items():
        assert stats.kstest(jobs.duration_s[jobs.gpus == gpus], law).pvalue > 1e-3
    assert abs(np.corrcoef(np.argsort(jobs.submit_s), jobs.gpus)[0, 1]) < 0.03


def test_the_expected_load_is_met(spec: Path) -> None:
    spec.write_text(SPEC.replace("  per_hour: 30\n", "") + "load: {target: 0.7, cluster: 16x8}\n")
    made = read_spec(spec)
    assert made.load_on(Cluster.parse("16x8")) == pytest.approx(0.7)
    jobs = drawn_trace(spec, 200_000, 1).jobs
    assert (jobs.gpus * jobs.duration_s).sum() / jobs.submit_s[-1] / 128 == pytest.approx(0.7, rel=0.05)


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
