"""How near Shockwave's plans come to a bound, if nothing is searched: a table of results/expected and a section.

python -m tools.shockwave_gaps   # needs the measured files (data/measured.tsv); takes a minute

Every plan of the measured run is built without search. The gap of a plan is what it lacks to the bound
(`rarlib.ilp.shockwave_bound`), over the utilities that it reaches. The table holds no measured value.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from rarlib.evidence.measured.scores import write_scores
from rarlib.ilp.shockwave import plan_rounds
from rarlib.ilp.shockwave_bound import plan_bound
from rarlib.measured.inputs import load_measured
from rarlib.measured.policy_runs import BY_WORK, policy_outcomes
from rarlib.measured.shockwave import ShockwaveRuns
from rarlib.model.errors import InputError
from tools.section import Section

TABLE = Path(__file__).resolve().parents[1] / "results" / "expected" / "shockwave-gaps.csv"
SECTION = Section("measured.md", "gaps", "tools.shockwave_gaps")
COLUMNS = ["jobs", "gap", "regulariser"]
_NO_SEARCH = 1e-6


@contextmanager
def noting(rows: list[tuple[int, float, float]]) -> Iterator[None]:
    """Note jobs, gap and the regulariser over the utilities of every plan in which not all jobs run all the time."""

    def spied(gain: Any, gpus: Any, total: int, least: Any, **others: Any) -> Any:
        plan = plan_rounds(gain, gpus, total, least, **others)
        if plan is not None and not least.any() and gpus.sum() > total:
            rounds, tail = plan.runs.sum(axis=1), others["tail"]
            worth = float(np.where(np.arange(gain.shape[1]) < rounds[:, None], gain, 0.0).sum())
            cost = float(tail[np.arange(len(tail)), rounds].max())
            rows.append((len(gain), (plan_bound(gain, gpus, total, tail) - worth + cost) / worth, cost / worth))
        return plan

    with patch("rarlib.schedulers.shockwave.plan_rounds", spied):
        yield


def render(table: pd.DataFrame) -> str:
    """The section as Markdown.

    Args:
        table: columns as in `COLUMNS`.
    """
    gap, cost = table["gap"], table["regulariser"]
    return (
        f"Of {len(table)} plans built without search, half are within {gap.median():.1%} of the bound, nine tenths "
        f"within {gap.quantile(0.9):.1%}, and the worst within {gap.max():.0%} (of the utilities that the plan "
        f"reaches). The regulariser is {cost.median():.1f} times the utilities in the median, and larger than them in "
        f"{(cost > 1).mean():.0%} of the plans."
    )


def main() -> None:
    """Run, and write the table and the section.

    Raises:
        InputError: the measured files are not at hand.
    """
    frames = load_measured("shockwave")
    if not frames:
        raise InputError("the measured files are not at hand; name a folder with them in RARLIB_MIRROR")
    rows: list[tuple[int, float, float]] = []
    with noting(rows):
        params = {**BY_WORK, "limit": _NO_SEARCH}
        found = policy_outcomes(ShockwaveRuns(frames), "shockwave", "shockwave", params, fitted=False)
    print(found)
    write_scores(pd.DataFrame(rows, columns=COLUMNS), TABLE)
    SECTION.write(render(pd.read_csv(TABLE)))


if __name__ == "__main__":
    main()
