"""Shortest job first, never interrupting a running job."""

from dataclasses import dataclass
from typing import ClassVar

from rarlib.schedulers.shared.ordering import Ordered


@dataclass
class Sjf(Ordered):
    """The shortest recorded duration first; whatever fits starts, nothing is stopped."""

    name: ClassVar[str] = "sjf"
    label: ClassVar[str] = "SJF"
    order: ClassVar[str] = "duration"
