"""Submission order without head-of-line blocking."""

from dataclasses import dataclass
from typing import ClassVar

from rarlib.schedulers.shared.ordering import Ordered


@dataclass
class FifoBackfill(Ordered):
    """Jobs are tried in submission order and those that fit start, so a large gang may be overtaken."""

    name: ClassVar[str] = "fifo-backfill"
    label: ClassVar[str] = "FIFO, backfilled"
