"""Five published simulators on the same rows: their predictions are read from the source's file."""

from functools import partial

from artifact.machines.predictor import Predictor
from artifact.machines.sailor import Sailor

_LABELS = {"sailor": "Sailor", "varuna": "Varuna", "metis": "Metis", "piper": "Piper", "flashflex": "FlashFlex"}


def _read(name: str, source: Sailor) -> dict[str, float]:
    table = source.frames["rivals"]
    mine = table[table["simulator"] == name].set_index("id")["iteration_s"].dropna()
    wanted = {row.id for row in source.rows}
    return {str(row): float(value) for row, value in mine.items() if row in wanted}


PREDICTORS = tuple(
    Predictor(name, label, "iteration", "A", partial(_read, name), rival=True) for name, label in _LABELS.items()
)
