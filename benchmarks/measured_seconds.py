"""How long a prediction of ours takes: seconds per row, recorded in results/expected/measured-seconds.csv.

python benchmarks/measured_seconds.py   # needs the measured files (data/measured.tsv)
"""

import time
from pathlib import Path
from statistics import median

import pandas as pd

from rarlib.evidence.measured.scores import write_scores
from rarlib.measured.cells import PREDICTED, MeasuredSource, source_of
from rarlib.measured.inputs import READERS, load_measured
from rarlib.measured.predictor import Predictor, predictors

RECORD = Path(__file__).parents[1] / "results" / "expected" / "measured-seconds.csv"
REPEATS = 3


def seconds_of(predictor: Predictor, source: MeasuredSource) -> float:
    """Median seconds per row of three predictions of all rows, after one that compiles."""
    rows, taken = len(predictor.predict(source)), []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        predictor.predict(source)
        taken.append(time.perf_counter() - begin)
    return median(taken) / rows


def main() -> None:
    """Measure all predictors that are not rivals."""
    sources = {name: source_of(name, load_measured(name), {}) for name in READERS}
    own = [(each, sources[PREDICTED[each.quantity][0]]) for each in predictors() if not each.rival]
    table = pd.DataFrame(
        [(each.name, round(seconds_of(each, source), 6)) for each, source in own], columns=["predictor", "seconds"]
    )
    write_scores(table, RECORD)


if __name__ == "__main__":
    main()
