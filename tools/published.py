"""Statistics of the big logs from published numbers alone: job counts, means, medians and largest values.

Sources: the cluster summary released with Acme (NSDI'24) for means and medians of GPU jobs; HeliosData's and Lucid's
aggregates for the arrivals of Venus; the PAI paper (NSDI'22) for the span. Shapes are **our choice**, each the simplest
with the published moments:

- durations: lognormal with a median that grows as a power of the GPU count, cut at the largest published value.
  Scale, spread and power are solved for the published median, mean and GPU time (Venus: the ratio of all of Helios;
  PAI publishes no GPU time: power 0);
- GPUs: half the jobs request 1 (the published median), the rest powers of two whose shares fall by a constant
  ratio, which is solved for the mean. PAI: lognormal shares of a GPU with the published median and mean, rounded up;
- arrivals: Venus by its daily counts and hours of the day; the others uniform over the span, as nothing is published.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, root
from scipy.stats import norm

from rarlib.model.errors import InputError
from rarlib.traces.profile import TraceStatistics
from rarlib.traces.resolve import obtain
from rarlib.traces.sources import read_sources
from rarlib.traces.table import RawTable

_TAIL = (0.985, 0.99, 0.9925, 0.995, 0.9965, 0.998, 0.999, 0.9995, 0.9999)
_LEVELS = np.concatenate([[0.0005, 0.002, 0.005], np.arange(0.01, 0.985, 0.01), _TAIL])


class _Facts(NamedTuple):
    """Published numbers of one cluster's GPU jobs, in this order: counts, seconds, GPUs, days, shares.

    `gpu_time_ratio` is GPU-seconds per job over (mean duration x mean GPUs); 1 when they are independent.
    """

    text: str
    jobs: int
    mean_s: float
    median_s: float
    max_s: float
    mean_gpus: float
    max_gpus: int
    gpu_time_ratio: float
    days: int
    starts: str
    statuses: dict[str, float]


_FACTS = {
    "helios-venus": _Facts(
        "Helios Venus: its own job count, GPUs asked and arrivals; running times and endings of all four clusters",
        125_214, 6651.681, 206.0, 4_320_009.0, 843_064 / 125_214, 2048,
        77_997_740_147 / (1_580_464 * 6651.681 * 3.716), 181, "2020-04-01T00:00:00",
        {"completed": 0.624, "cancelled": 0.221, "failed": 0.155},
    ),
    "pai": _Facts(
        "Alibaba PAI 2020, GPU jobs",
        1_037_085, 4787.109, 480.667, 626_371.0, 0.683, 8, 1.0, 62, "2020-07-01T00:00:00", {},
    ),
    "acme-seren": _Facts(
        "Acme Seren, GPU jobs",
        663_813, 1414.335, 122.0, 1_209_604.0, 5.68, 1024,
        21_510_624_587 / (663_813 * 1414.335 * 5.68), 184, "2023-03-01T00:00:00",
        {"completed": 0.497, "cancelled": 0.075, "failed": 0.429},
    ),
    "acme-kalos": _Facts(
        "Acme Kalos, GPU jobs",
        19_907, 1259.689, 124.0, 625_740.0, 26.77, 1024,
        5_333_180_061 / (19_907 * 1259.689 * 26.77), 184, "2023-03-01T00:00:00",
        {"completed": 0.541, "cancelled": 0.062, "failed": 0.397},
    ),
}  # fmt: skip
NAMES = tuple(_FACTS)


def profile(name: str) -> TraceStatistics:
    """The statistics with the published moments; made_by is left empty.

    Raises:
        InputError: when Venus' arrival counts are not available.
    """
    facts = _FACTS[name]
    shares = _shared_gpus(facts) if name == "pai" else _whole_gpus(facts)
    bin_s, arrivals, digests = _venus_hours() if name == "helios-venus" else (facts.days * 86_400, [1.0], {})
    return TraceStatistics(
        about=f"{facts.text}: fitted to published counts, means and medians",
        made_by="",
        made_from=digests,
        jobs=facts.jobs,
        starts=facts.starts,
        bin_s=bin_s,
        arrivals={"1": arrivals},
        kinds=[["", "", gpus, round(share, 6)] for gpus, share in shares],
        statuses=facts.statuses,
        durations=_lasting(facts, shares),
    )


def _lasting(facts: _Facts, shares: list[tuple[int, float]]) -> dict[str, list[list[float]]]:
    """Levels and quantiles by GPU count, solved so that durations drawn from them have the published moments."""
    gpus, weights = (np.array(column, dtype=np.float64) for column in zip(*shares, strict=True))

    def quantiles(scale: float, spread: float, power: float) -> NDArray[np.float64]:
        medians = facts.median_s * np.exp(scale + power * np.log(gpus))
        inner = medians[:, None] * np.exp(spread * norm.ppf(_LEVELS))
        ends = np.zeros((len(gpus), 1)), np.full((len(gpus), 1), facts.max_s)
        return np.minimum(np.hstack([ends[0], inner, ends[1]]), facts.max_s)

    def misfit(unknown: NDArray[np.float64]) -> list[float]:
        scale, spread, power = unknown
        below = weights @ norm.cdf(-(scale + power * np.log(gpus)) / spread)
        means = _drawn_mean(quantiles(scale, spread, power))
        ratio = weights @ (gpus * means) / (weights @ means) / (weights @ gpus)
        return [below - 0.5, np.log(weights @ means / facts.mean_s), np.log(ratio / facts.gpu_time_ratio)]

    solved = root(misfit, [0.0, 2.5, 0.0], tol=1e-10)
    if not solved.success:
        raise InputError(f"no lognormal has the published moments: {solved.message}", file=facts.text)
    rows = quantiles(*solved.x).round(1).tolist()
    levels = _grid().round(6).tolist()
    if facts.gpu_time_ratio == 1.0:
        return {"1": [levels, rows[0]]}
    return {str(count): [levels, row] for (count, _), row in zip(shares, rows, strict=True)}


def _grid() -> NDArray[np.float64]:
    return np.concatenate([[0.0], _LEVELS, [1.0]])


def _drawn_mean(quantiles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of draws that are linear in log(1 + s) between quantiles, shape (classes,)."""
    low, high = 1 + quantiles[:, :-1], 1 + quantiles[:, 1:]
    steps = np.where(high > low, (high - low) / np.log(np.maximum(high / low, 1 + 1e-12)), low)
    return steps @ np.diff(_grid()) - 1


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
    path, why, _ = obtain(source)
    if path is None:
        raise InputError(why, file=source.name)
    table = RawTable.parse(path.read_bytes(), path.name, text=("time",)).require("time", "submit_gpu_job")
    jobs = table.numbers("submit_gpu_job")
    hour = (table.seconds("time", "%Y-%m-%d %H:%M:%S") // 3600).astype(np.int64)
    daily = np.bincount(hour // 24 - hour[0] // 24, jobs)
    by_hour = np.bincount(hour % 24, jobs)
    return 3600, np.outer(daily, by_hour / by_hour.sum()).ravel().round(2).tolist(), {source.name: source.digest}
