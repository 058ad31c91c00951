"""Iterations: whole pipelines side by side, 1F1B with a flush.

As they are, with a constant for each microbatch that is fitted to other rows, and with one assumption changed each;
beside them five published simulators, whose predictions are read from the source's file, and the textbook's estimate.
"""

from collections.abc import Mapping
from functools import partial
from statistics import median

from artifact.machines.iteration import Assumptions, every_row, stage_times
from artifact.machines.predictor import Predictor
from artifact.machines.sailor import Sailor

FITTED_ON = "gh200, all rows but the one predicted"
_CHANGED = {
    "flush-overlapped": ("rarlib, transfers beside compute", Assumptions(blocking=False)),
    "flush-as-profiled": ("rarlib, without the projection", Assumptions(complete=False)),
    "flush-second-profile": ("rarlib, second profiling", Assumptions(second=True)),
}


def leave_one_out(
    base: Mapping[str, float], unit: Mapping[str, float], measured: Mapping[str, float], fit: set[str]
) -> dict[str, float]:
    """`base` plus a number times `unit`: the median of what other rows miss per unit."""
    missing = {row: (measured[row] - base[row]) / unit[row] for row in sorted(fit)}
    return {row: base[row] + unit[row] * median([v for other, v in missing.items() if other != row]) for row in base}


def _per_microbatch(source: Sailor) -> dict[str, float]:
    return leave_one_out(
        every_row(source, Assumptions()),
        {row.id: row.microbatches for row in source.rows},
        {row.id: row.iteration_s for row in source.rows},
        {row.id for row in source.rows if row.cluster == "gh200"},
    )


def _flush(name: str, label: str, given: Assumptions) -> Predictor:
    return Predictor(name, label, "iteration", "A", lambda source: every_row(source, given))


_RIVALS = {"sailor": "Sailor", "varuna": "Varuna", "metis": "Metis", "piper": "Piper", "flashflex": "FlashFlex"}


def _read(name: str, source: Sailor) -> dict[str, float]:
    table = source.frames["rivals"]
    mine = table[table["simulator"] == name].set_index("id")["iteration_s"].dropna()
    wanted = {row.id for row in source.rows}
    return {str(row): float(value) for row, value in mine.items() if row in wanted}


def _textbook(source: Sailor) -> dict[str, float]:
    """(m - 1) times the slowest stage plus all stages once; compute only."""
    given, found = Assumptions(complete=False), {}
    for row in source.rows:
        lasting = []
        for nodes in row.nodes:
            forward, backward = (stage_times(source, row, nodes, each, given) for each in ("forward_s", "backward_s"))
            both = forward + backward
            lasting.append((row.microbatches - 1) * both.max() + both.sum())
        found[row.id] = float(max(lasting))
    return found


PREDICTORS = (
    _flush("flush-blocking", "rarlib, blocking transfers", Assumptions()),
    Predictor("flush-per-microbatch", "rarlib, fitted per microbatch", "iteration", "B", _per_microbatch, FITTED_ON),
    *(_flush(name, label, given) for name, (label, given) in _CHANGED.items()),
    *(Predictor(name, label, "iteration", "A", partial(_read, name), rival=True) for name, label in _RIVALS.items()),
    Predictor("stages-in-turn", "slowest stage, textbook", "iteration", "A", _textbook),
)
