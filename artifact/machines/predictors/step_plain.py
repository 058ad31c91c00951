"""Steps by placement without a law: the nearest measured row, and the same plan measured a second time."""

from collections.abc import Callable, Sequence
from math import log

from artifact.machines.held_out import EACH_OTHER, row_from_others
from artifact.machines.morphling import Morphling, StepRow
from artifact.machines.predictor import Predictor


def _nearest(rows: Sequence[StepRow]) -> Callable[[StepRow], float]:
    def seconds(wanted: StepRow) -> float:
        def far(row: StepRow) -> tuple[float, int]:
            return abs(log(row.gpus / wanted.gpus)), abs(len(row.by_node) - len(wanted.by_node))

        least = min(map(far, rows))
        near = [row.iteration_s for row in rows if far(row) == least]
        return sum(near) / len(near)

    return seconds


def _column(source: Morphling, column: str) -> dict[str, float]:
    known = {row.id for row in source.steps}
    table = source.frames["validation"]
    mine = table[table["same_as"].isin(known)].drop_duplicates("same_as").set_index("same_as")[column].dropna()
    return {str(row): float(value) for row, value in mine.items()}


PREDICTORS = (
    Predictor(
        "nearest-placement", "nearest measured row", "step", "B",
        lambda source: row_from_others(source.steps, _nearest), EACH_OTHER,
    ),
    Predictor(
        "measured-again", "measured a second time", "step", "C",
        lambda source: _column(source, "iteration_s"), "the same plan, measured once more",
    ),
    Predictor(
        "rubick", "Rubick, the authors' model", "step", "C",
        lambda source: _column(source, "authors_iteration_s"), "partly the same rows; forward times given by hand",
        rival=True,
    ),
)  # fmt: skip
