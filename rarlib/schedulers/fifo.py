"""First in, first out: strict submission order."""

from dataclasses import dataclass
from typing import ClassVar

from rarlib.schedulers.shared.ordering import Ordered


@dataclass
class Fifo(Ordered):
    """Jobs start in submission order; the first waiting job blocks all others until its gang fits."""

    name: ClassVar[str] = "fifo"
    label: ClassVar[str] = "FIFO"
    head_blocks: ClassVar[bool] = True
