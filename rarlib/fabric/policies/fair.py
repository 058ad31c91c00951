"""Fair sharing: paths by hash, no priorities, no shifts."""

from dataclasses import dataclass
from typing import ClassVar

from rarlib.fabric.arrangement import Arrangement, FabricView


@dataclass
class Fair:
    """Arranges nothing: links are shared fairly, and jobs send when they are ready."""

    name: ClassVar[str] = "fair"
    label: ClassVar[str] = "Fair sharing"
    paper: ClassVar[str] = ""

    def arrange(self, view: FabricView) -> Arrangement:
        """Nothing."""
        return Arrangement()
