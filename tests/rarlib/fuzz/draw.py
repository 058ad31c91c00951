"""Everything that a case draws comes from here, so that seed and number determine it."""

import copy
import random
from collections.abc import Sequence
from typing import Any, TypeVar

from tests.rarlib.fuzz.values import Values

_T = TypeVar("_T")


class Draw:
    """A random stream and odd values.

    Args:
        values: of the seed.
        key: what determines the stream.
    """

    def __init__(self, values: Values, key: str) -> None:
        self.random, self.values = random.Random(key), values

    def one(self, given: Sequence[_T]) -> _T:
        """One of several."""
        return self.random.choice(given)

    def chance(self, share: float) -> bool:
        """Whether something with this probability happens."""
        return self.random.random() < share

    def below(self, most: int) -> int:
        """A whole number from 0 to `most` - 1."""
        return self.random.randrange(most)

    def number(self) -> str:
        """The text of an odd number."""
        return self.one(self.values.numbers)

    def text(self) -> str:
        """An odd text, which may be that of a number."""
        return self.one(self.values.texts) if self.chance(0.6) else self.number()

    def tree(self) -> Any:
        """An odd value as JSON holds them."""
        if self.chance(0.5):
            return copy.deepcopy(self.one(self.values.trees))  # changed later, perhaps
        text = self.text()
        try:
            return self.one([int, float])(text) if len(text) < 4_000 else text
        except (ValueError, OverflowError):
            return text

    def token(self) -> bytes:
        """An odd piece of a file; not always UTF-8."""
        if self.chance(0.05):
            return self.one([b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xfe\xff", b"PK\x03\x04", b"\x1f\x8b"])
        return self.text().encode("utf-8", "surrogatepass")

    def plain(self) -> bytes:
        """An ordinary number as a piece of a file."""
        return self.one([b"0", b"1", b"2", b"4", b"8", b"5.25", b"60", b"3600", b"1e5", b"0.001", b"1e-9", b"250000"])

    def argument(self) -> str:
        """An odd value of an option: what the operating system can hand over, so without NUL."""
        return self.text().encode("utf-8", "replace").decode().replace("\0", "")[:20_000]
