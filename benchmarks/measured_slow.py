"""Predictions of the measured ledger that take long: Shockwave's runs, recorded in results/expected/measured-slow.csv.

python benchmarks/measured_slow.py   # needs the measured files (data/measured.tsv)
"""

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd

from rarlib.evidence.measured.scores import write_scores
from rarlib.measured.inputs import load_measured
from rarlib.measured.policy_runs import SLOW_RUNS, STORED, STORED_COLUMNS, policy_outcomes
from rarlib.measured.shockwave import ShockwaveRuns

RECORD = Path(__file__).parents[1] / STORED


def rows_of(predictor: str) -> list[tuple[str, str, float]]:
    """Rows of one predictor."""
    source = ShockwaveRuns(load_measured("shockwave"))
    params, fitted = SLOW_RUNS[predictor]
    found = policy_outcomes(source, "shockwave", "shockwave", params, fitted=fitted)
    return [(predictor, row, seconds) for row, seconds in found.items()]


def main() -> None:
    """Run all of them, two at a time."""
    with ProcessPoolExecutor(2) as pool:
        rows = [row for found in pool.map(rows_of, SLOW_RUNS) for row in found]
    write_scores(pd.DataFrame(rows, columns=list(STORED_COLUMNS)), RECORD)


if __name__ == "__main__":
    main()
