"""What every scheduler of a test says of itself."""

from typing import ClassVar


class Named:
    """A scheduler that is called as its class."""

    name: ClassVar[str]
    label: ClassVar[str]
    paper: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        cls.name = cls.label = cls.__name__.lower()
