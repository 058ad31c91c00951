"""Least attained service with discretised queues."""

from dataclasses import dataclass
from typing import ClassVar

from rarlib.model.jobs import Job
from rarlib.model.scheduler import View
from rarlib.schedulers.shared.ordering import Ordered


@dataclass
class Las(Ordered):
    """Jobs that have received the least GPU-seconds first, in discrete queues (2D-LAS).

    A job enters the first queue and drops one queue whenever its attained GPU-seconds reach the next of
    `levels`. Inside a queue jobs go by submission, so a job is stopped for one of a better queue, or for an earlier
    one of its own queue whose gang has come to fit.

    Source: Gu et al., Tiresias: A GPU Cluster Manager for Distributed Deep Learning, NSDI 2019, Sec. 4. Its
    promotion of starved jobs is left out here.

    Args:
        levels: GPU-seconds at which a job drops; the default is that of the authors' simulator (three queues).
    """

    name: ClassVar[str] = "las"
    label: ClassVar[str] = "LAS"
    order: ClassVar[str] = "attained"
    preemptive: ClassVar[bool] = True

    levels: tuple[float, ...] = (3250.0, 7200.0)

    def _levels(self) -> tuple[float, ...]:
        return tuple(self.levels)

    def _key(self, view: View, job: Job) -> float:
        return float(view.level(job.row))
