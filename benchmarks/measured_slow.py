"""Predictions of the measured ledger that take long, recorded in results/expected/measured-slow.csv.

python benchmarks/measured_slow.py            # all; needs the measured files (data/measured.tsv), profiles and traces
python benchmarks/measured_slow.py NAME ...   # those of some predictors; the others stay as they are
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd

from artifact.ledger.measured.scores import write_scores
from artifact.machines.inputs import load_measured
from artifact.machines.policy_runs import BY_WORK, SLOW_RUNS, STORED, STORED_COLUMNS, policy_outcomes
from artifact.machines.shockwave import ShockwaveRuns
from artifact.machines.testbed_runs import ASSUMED, outcomes_in, runs_of
from rarlib.model.errors import InputError
from rarlib.records.columns import read_columns

RECORD = Path(__file__).parents[1] / STORED
PREDICTED = (*SLOW_RUNS, *ASSUMED)


def rows_of(predictor: str) -> list[tuple[str, str, float]]:
    """Rows of one predictor."""
    if predictor in SLOW_RUNS:
        source = ShockwaveRuns(load_measured("shockwave"))
        found = policy_outcomes(source, "shockwave", "shockwave", BY_WORK, fitted=SLOW_RUNS[predictor])
    else:
        found = {}
        for run in runs_of(ASSUMED[predictor]):
            outcomes = outcomes_in(run, ASSUMED[predictor])
            if outcomes is None:
                raise InputError("needs the recorded workloads and profiles", field=run)
            found |= outcomes
    return [(predictor, row, value) for row, value in found.items()]


def main(names: Sequence[str]) -> None:
    """Run the named predictors, or all, two at a time."""
    named = names or PREDICTED
    with ProcessPoolExecutor(2) as pool:
        made = dict(zip(named, pool.map(rows_of, named), strict=True))
    kept = read_columns(RECORD, STORED_COLUMNS).groupby("predictor")
    for name in set(PREDICTED) & set(kept.groups) - set(made):
        made[name] = list(kept.get_group(name)[list(STORED_COLUMNS)].itertuples(index=False, name=None))
    rows = [row for name in PREDICTED if name in made for row in made[name]]
    write_scores(pd.DataFrame(rows, columns=list(STORED_COLUMNS)), RECORD)


if __name__ == "__main__":
    main(sys.argv[1:])
