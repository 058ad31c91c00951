"""Shortest job first, never interrupting a running job."""

from dataclasses import dataclass
from typing import ClassVar

from rarlib.schedulers.shared.ordering import Ordered


@dataclass
class Sjf(Ordered):
    """Jobs are tried by recorded duration, shortest first; those that fit start, and no job is stopped."""

    name: ClassVar[str] = "sjf"
    label: ClassVar[str] = "SJF"
    order: ClassVar[str] = "duration"
