"""First in, first out: strict submission order."""

from dataclasses import dataclass
from typing import ClassVar

from rarlib.schedulers.shared.ordering import Ordered


@dataclass
class Fifo(Ordered):
    """Jobs start in submission order; the head of the line blocks all behind it until its gang fits."""

    name: ClassVar[str] = "fifo"
    label: ClassVar[str] = "FIFO"
    head_blocks: ClassVar[bool] = True
