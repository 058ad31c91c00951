"""Iterations: the textbook estimate, (m - 1) times the slowest stage plus all stages once; compute only."""

from artifact.machines.iteration import Assumptions, stage_times
from artifact.machines.predictor import Predictor
from artifact.machines.sailor import Sailor


def _seconds(source: Sailor) -> dict[str, float]:
    given, found = Assumptions(complete=False), {}
    for row in source.rows:
        lasting = []
        for nodes in row.nodes:
            forward, backward = (stage_times(source, row, nodes, each, given) for each in ("forward_s", "backward_s"))
            both = forward + backward
            lasting.append((row.microbatches - 1) * both.max() + both.sum())
        found[row.id] = float(max(lasting))
    return found


PREDICTORS = (Predictor("stages-in-turn", "slowest stage, textbook", "iteration", "A", _seconds),)
