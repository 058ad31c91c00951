"""What a study can be expected to decide, said before anything runs.

If the mean ratio is r and its standard deviation over seeds s, the interval of n seeds lies below `than` with the
probability that a noncentral t with n - 1 degrees of freedom and noncentrality (than - r) sqrt(n) / s exceeds the
quantile of that interval. This is exact for one look; several looks decide at least as often.
"""

import math
from collections.abc import Sequence

from artifact.ledger.sequential import confidence_of
from artifact.study.document import Study
from artifact.study.plan import batches_of
from rarlib.model.later import Later

_stats = Later("scipy.stats")


def power_of(ratio: float, spread: float, than: float, seeds: int, confidence: float) -> float:
    """Chance that the interval of the mean lies below `than`.
    """
    edge = _stats.t.ppf((1 + confidence) / 2, seeds - 1)
    return float(_stats.nct.sf(edge, seeds - 1, (than - ratio) * math.sqrt(seeds) / spread))


def _some(looks: Sequence[int], most: int = 6) -> Sequence[int]:
    """The first look, the last one, and some between them."""
    if len(looks) <= most:
        return looks
    return [looks[at * (len(looks) - 1) // (most - 1)] for at in range(most)]


def power_lines(study: Study) -> list[str]:
    """What a run will do at most, and how likely it decides its statements, in a few lines."""
    cells = len(study.entrants) * len(study.sources)
    most = cells * study.looks[-1] * len(study.settings)
    least = cells * study.looks[0] * len(study.settings)
    runs = f"{least:,} to {most:,}" if least < most else f"{most:,}"
    lines = [
        f"{study.name}: {len(study.entrants)} schedulers, {len(study.sources)} traces and workloads, "
        f"{len(study.settings)} settings, {len(batches_of(study.looks))} batches of seeds: {runs} runs"
    ]
    if study.power is None or study.looks[-1] < 2 or not study.statements:
        return lines
    ratio, spread = study.power
    confidence = confidence_of(len(study.looks))
    for than in sorted({each.than for each in study.statements}):
        shares = ", ".join(
            f"{seeds} seeds {power_of(ratio, spread, than, seeds, confidence):.0%}"
            for seeds in _some(study.looks)
            if seeds > 1
        )
        lines.append(
            f"if the ratio is {ratio:g} and varies by {spread:g} between seeds, "
            f"it is found below {than:g} with {shares}"
        )
    return lines
