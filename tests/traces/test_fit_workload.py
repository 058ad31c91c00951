"""Fits: laws that drew a trace are found again; scipy's fits agree; a drawn trace is near the recorded one."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from rarlib.model.jobs import Jobs
from rarlib.traces.laws.arrivals import Arrivals, Bursts
from rarlib.traces.laws.durations import BoundedPareto, LogNormal, Weibull
from rarlib.traces.laws.fit import fit_arrivals, fit_workload
from rarlib.traces.laws.fit_durations import fit_durations, largest_difference
from rarlib.traces.laws.spec import WorkloadSpec
from rarlib.traces.load import Trace
from tests.circles import first


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
