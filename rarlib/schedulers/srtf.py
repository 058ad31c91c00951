"""Shortest remaining time first."""

from dataclasses import dataclass
from typing import ClassVar

from rarlib.schedulers.shared.ordering import Ordered


@dataclass
class Srtf(Ordered):
    """The shortest remaining running time first; longer jobs are stopped for shorter ones."""

    name: ClassVar[str] = "srtf"
    label: ClassVar[str] = "SRTF"
    order: ClassVar[str] = "remaining"
    preemptive: ClassVar[bool] = True
