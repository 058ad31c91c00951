"""Profiles of the big logs from published numbers alone: their job counts, means, medians and largest values.

Sources: the cluster summary released with Acme (NSDI'24) for means and medians of GPU jobs; HeliosData's and Lucid's
aggregates for the arrivals of Venus; the PAI paper (NSDI'22) for the span. Shapes are **our choice**, each the simplest
with the published moments:

- durations: lognormal, cut at the largest published value, whole seconds; scale from the median, spread from the mean;
  independent of the GPU count (published totals of GPU time show that they are not, so offered load is too low);
- GPUs: half the jobs ask 1 (the published median), the rest powers of two whose shares fall by a constant
  ratio, which is solved for the mean. PAI: lognormal shares of a GPU with the published median and mean, rounded up;
- arrivals: Venus by its daily counts and its hours of the day; elsewhere even over the span: no profile is published.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from rarlib.model.errors import InputError
from rarlib.traces.profile import Profile
from rarlib.traces.resolve import obtain
from rarlib.traces.sources import read_sources
from rarlib.traces.table import Table

_TAIL = (0.985, 0.99, 0.9925, 0.995, 0.9965, 0.998, 0.999, 0.9995, 0.9999)
_LEVELS = np.concatenate([[0.0005, 0.002, 0.005], np.arange(0.01, 0.985, 0.01), _TAIL])


class _Facts(NamedTuple):
    """Published numbers of one cluster's GPU jobs: counts, seconds, GPUs, days, shares."""

    text: str
    jobs: int
    mean_s: float
    median_s: float
    max_s: float
    mean_gpus: float
    max_gpus: int
    days: int
    starts: str
    statuses: dict[str, float]


_FACTS = {
    "helios-venus": _Facts(
        "Helios Venus: its own job count, GPUs asked and arrivals, running times and endings of all four clusters",
        125_214, 6651.681, 206.0, 4_320_009.0, 843_064 / 125_214, 2048, 181, "2020-04-01T00:00:00",
        {"completed": 0.624, "cancelled": 0.221, "failed": 0.155},
    ),
    "pai": _Facts(
        "Alibaba PAI 2020, GPU jobs", 1_037_085, 4787.109, 480.667, 626_371.0, 0.683, 8, 62, "2020-07-01T00:00:00", {},
    ),
    "acme-seren": _Facts(
        "Acme Seren, GPU jobs", 663_813, 1414.335, 122.0, 1_209_604.0, 5.68, 1024, 184, "2023-03-01T00:00:00",
        {"completed": 0.497, "cancelled": 0.075, "failed": 0.429},
    ),
    "acme-kalos": _Facts(
        "Acme Kalos, GPU jobs", 19_907, 1259.689, 124.0, 625_740.0, 26.77, 1024, 184, "2023-03-01T00:00:00",
        {"completed": 0.541, "cancelled": 0.062, "failed": 0.397},
    ),
}  # fmt: skip
NAMES = tuple(_FACTS)


def profile(name: str) -> Profile:
    """The profile with the published moments; made_by is left empty.

    Raises:
        InputError: Venus' arrival counts are not at hand.
    """
    facts = _FACTS[name]
    shares = _shared_gpus(facts) if name == "pai" else _whole_gpus(facts)
    bin_s, arrivals, digests = _venus_hours() if name == "helios-venus" else (facts.days * 86_400, [1.0], {})
    return Profile(
        about=f"{facts.text}: fitted to published counts, means and medians",
        made_by="",
        made_from=digests,
        jobs=facts.jobs,
        starts=facts.starts,
        bin_s=bin_s,
        arrivals={"1": arrivals},
        kinds=[["", "", gpus, round(share, 6)] for gpus, share in shares],
        statuses=facts.statuses,
        durations={"1": _lasting(facts)},
    )


def _lasting(facts: _Facts) -> list[list[float]]:
    """Levels and quantiles of the cut lognormal, its spread solved so that the drawn mean is the published one."""
    levels = np.concatenate([[0.0], _LEVELS, [1.0]])

    def quantiles(sigma: float) -> np.ndarray:
        inner = facts.median_s * np.exp(sigma * norm.ppf(_LEVELS))
        return np.minimum(np.concatenate([[0.0], inner, [facts.max_s]]), facts.max_s)

    def excess(sigma: float) -> float:
        even = np.linspace(0, 1, 400_001)
        return float(np.mean(np.expm1(np.interp(even, levels, np.log1p(quantiles(sigma)))))) - facts.mean_s

    found = quantiles(brentq(excess, 0.5, 4.0))
    return [levels.round(6).tolist(), found.round(1).tolist()]


def _whole_gpus(facts: _Facts) -> list[tuple[int, float]]:
    sizes = 2.0 ** np.arange(1, int(np.log2(facts.max_gpus)) + 1)

    def shares(ratio: float) -> np.ndarray:
        falling = ratio ** np.arange(len(sizes))
        return 0.5 * falling / falling.sum()

    ratio = brentq(lambda r: 0.5 + float(shares(r) @ sizes) - facts.mean_gpus, 1e-6, 2.0)
    return [(1, 0.5), *zip(sizes.astype(int).tolist(), shares(ratio).tolist(), strict=True)]


def _shared_gpus(facts: _Facts) -> list[tuple[int, float]]:
    median = 0.5
    sigma = np.sqrt(2 * np.log(facts.mean_gpus / median))
    below = norm.cdf(np.log(np.arange(1, facts.max_gpus) / median) / sigma)
    shares = np.diff(np.concatenate([[0.0], below, [1.0]]))
    return list(zip(range(1, facts.max_gpus + 1), shares.tolist(), strict=True))


def _venus_hours() -> tuple[int, list[float], dict[str, str]]:
    """Expected GPU jobs of each hour: daily counts times the share of the hour of the day."""
    source = read_sources()["helios-venus-arrivals"][0]
    path, why = obtain(source)
    if path is None:
        raise InputError(why, file=source.name)
    table = Table.parse(path.read_bytes(), path.name, text=("time",)).require("time", "submit_gpu_job")
    jobs = table.numbers("submit_gpu_job")
    hour = (table.seconds("time", "%Y-%m-%d %H:%M:%S") // 3600).astype(np.int64)
    daily = np.bincount(hour // 24 - hour[0] // 24, jobs)
    by_hour = np.bincount(hour % 24, jobs)
    return 3600, np.outer(daily, by_hour / by_hour.sum()).ravel().round(2).tolist(), {source.name: source.digest}
