"""Five published simulators on the same rows: their predictions are read from the source's file."""

from functools import partial

from rarlib.measured.predictor import Predictor
from rarlib.measured.sailor import Sailor

_LABELS = {"sailor": "Sailor", "varuna": "Varuna", "metis": "Metis", "piper": "Piper", "flashflex": "FlashFlex"}
_COLUMNS = {"iteration": "iteration_s", "memory": "peak_bytes"}


def _read(name: str, column: str, source: Sailor) -> dict[str, float]:
    table = source.frames["rivals"]
    mine = table[table["simulator"] == name].set_index("id")[column].dropna()
    wanted = {row.id for row in source.rows}
    return {str(row): float(value) for row, value in mine.items() if row in wanted}


PREDICTORS = tuple(
    Predictor(
        name, label, quantity, "A", partial(_read, name, column), rival=True,
        seconds=partial(_read, name, "seconds_to_predict"),
    )
    for name, label in _LABELS.items()
    for quantity, column in _COLUMNS.items()
)  # fmt: skip
