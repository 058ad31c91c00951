"""Least attained service with discretised queues."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from rarlib.allocate.rings import RESERVED
from rarlib.model.decisions import Decision, Wake
from rarlib.model.errors import InputError
from rarlib.model.scheduler import Discipline, View
from rarlib.model.settings import GPU_SECONDS, INTERVAL_OR_NONE, require_ascending
from rarlib.schedulers.shared.ordering import Ordered
from rarlib.schedulers.shared.rounds import Rounds


@dataclass
class Las(Ordered):
    """Jobs that have received the least GPU-seconds first, in discrete queues (2D-LAS).

    A job enters the first queue and drops one queue whenever its attained GPU-seconds reach the next of
    `levels`. Within a queue jobs are served by submission, so a job is stopped for a job of a better queue, or for an
    earlier job of its own queue whose gang now fits.

    Source: Gu et al., Tiresias: A GPU Cluster Manager for Distributed Deep Learning, NSDI 2019, Sec. 4. Its
    promotion of starved jobs is left out here.

    Args:
        levels: GPU-seconds at which a job drops; the default is that of the authors' simulator (three queues).
        slot_s: seconds; jobs are then ordered by their exact attained GPU-seconds instead of queues, at multiples of
            this and whenever something changes. 0: queues.
        holds: a job keeps its GPUs until it ends; needs `slot_s`.
    """

    name: ClassVar[str] = "las"
    label: ClassVar[str] = "LAS"
    order: ClassVar[str] = "attained"
    preemptive: ClassVar[bool] = True

    levels: tuple[Annotated[float, GPU_SECONDS], ...] = (3250.0, 7200.0)
    slot_s: Annotated[float, INTERVAL_OR_NONE] = 0.0
    holds: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require_ascending(self.levels, "levels")
        if not self.slot_s and (self.holds or self.placement == RESERVED):
            raise InputError("must be above 0 for jobs that hold their GPUs or reserve bandwidth", field="slot_s")

    @property
    def discipline(self) -> Discipline | None:
        """The same scheduler as a discipline, if it has queues."""
        return None if self.slot_s else super().discipline

    def _levels(self) -> tuple[float, ...]:
        return tuple(self.levels)

    def decide(self, view: View) -> Iterable[Decision]:
        """Serve jobs in order; ask for a pass at the next slot."""
        decisions = self._serve(view, preemptive=not self.holds)
        if self.slot_s and len(view.waiting_rows) + len(view.running_rows):
            decisions.append(Wake(Rounds(self.slot_s).next(view.now_s)))
        return decisions

    def _keys(self, view: View, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(view.attained_gpu_s(rows) if self.slot_s else view.level(rows), np.float64)
