"""Peak memory: states of the optimizer, values kept for each microbatch in flight, and the runtime's own context."""

from rarlib.measured.iteration import SEQUENCE, VOCABULARY, lacks_projection, stage_bytes
from rarlib.measured.links import VALUE_BYTES
from rarlib.measured.predictor import Predictor
from rarlib.measured.sailor import PlanRow, Sailor
from rarlib.pipeline.flush import most_in_flight

COPIES = 4
"""Weights, gradients and two moments of Adam."""

CONTEXT_BYTES = {"gh200": 5e9}
"""What the runtime itself holds on a cluster, as the source states; it states none for the mixed one."""


def held_bytes(source: Sailor, row: PlanRow) -> float:
    """Bytes that the fullest GPU of a plan holds, the runtime's context included.

    Raises:
        KeyError: nobody states the context on the plan's cluster.
    """
    kept = source.layer_values(row, "kept_values")
    held = []
    for stage, flying in enumerate(most_in_flight(len(row.stages), row.microbatches)):
        first, last = row.stages[stage]
        values = kept[first : last + 1].sum()
        if last == len(kept) - 1 and lacks_projection(source, row):
            values += 2 * SEQUENCE * VOCABULARY / row.tensor_parallel  # scores of all words, and their probabilities
        stash = VALUE_BYTES * row.microbatch * values
        held.append(COPIES * stage_bytes(source, row, stage) + flying * stash)
    return float(max(held)) + CONTEXT_BYTES[row.cluster]


def _predicted(source: Sailor) -> dict[str, float]:
    return {row.id: held_bytes(source, row) for row in source.rows if row.cluster in CONTEXT_BYTES}


PREDICTORS = (Predictor("states-and-stash", "rarlib, states and kept values", "memory", "A", _predicted),)
