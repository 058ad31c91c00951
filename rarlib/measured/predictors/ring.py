"""Exchange of gradients of the first stage, whose log the source keeps: eq. 8 of SJF-BCO in three readings.

The ring of r replicas takes 2 (r - 1) / r W / b for W bytes per rank at rate b. The readings differ in b.
"""

from collections.abc import Callable
from functools import partial

from rarlib.measured.iteration import exchange_s, stage_bytes
from rarlib.measured.links import ring_rate
from rarlib.measured.predictor import Predictor
from rarlib.measured.sailor import PlanRow, Sailor


def _largest_rate(source: Sailor, row: PlanRow, *, shared: bool) -> float:
    count = row.replicas
    types = [nodes[0] for nodes in row.nodes]
    rate = ring_rate(source, types, row.tensor_parallel, shared=shared)
    return 2 * (count - 1) / count * stage_bytes(source, row, 0) / rate


def _seconds(one: Callable[[Sailor, PlanRow], float], source: Sailor) -> dict[str, float]:
    return {row.id: one(source, row) for row in source.rows if row.replicas > 1}


_READINGS: dict[str, tuple[str, Callable[[Sailor, PlanRow], float]]] = {
    "ring-one-pair": ("ring, link of one pair", partial(_largest_rate, shared=False)),
    "ring-shared": ("ring, ranks share the interface", partial(_largest_rate, shared=True)),
    "ring-buckets": ("ring in buckets, rate by size", lambda source, row: exchange_s(source, row, 0)),
}

PREDICTORS = tuple(
    Predictor(name, label, "exchange", "A", partial(_seconds, one)) for name, (label, one) in _READINGS.items()
)
