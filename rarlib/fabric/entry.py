"""One JSON object of a file, whose keys are read one by one; every complaint names file, row and field."""

import math
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from rarlib.model import limits
from rarlib.model.errors import InputError, did_you_mean, shown
from rarlib.model.limits import Cap


class Entry:
    """A JSON object and where it stands.

    Args:
        value: what JSON gave.
        file: the file.
        row: 1-based line; None: the object is the whole file.
        place: path of keys that leads to the object, empty for the whole line.

    Raises:
        InputError: it is no object.
    """

    def __init__(self, value: Any, file: Path, row: int | None, place: str = "") -> None:
        self.file, self.row, self._place = file, row, place
        if not isinstance(value, dict):
            raise self.error(f"must be a JSON object, found {shown(value)}")
        self.value: Mapping[str, Any] = value

    def error(self, rule: str, key: str = "") -> InputError:
        """An error at a key of this object."""
        return InputError(rule, file=self.file, row=self.row, field=self._at(key) or None)

    def _at(self, key: str) -> str:
        return ".".join(filter(None, (self._place, key)))

    def refuse_unknown(self, known: Collection[str]) -> None:
        """Raises InputError if there is any other key."""
        for key in self.value:
            if key not in known:
                raise self.error(f"unknown key {shown(key)}{did_you_mean(str(key), known)}")

    def given(self, key: str) -> Any:
        """A value that must be there."""
        if key not in self.value:
            raise self.error("is missing", key)
        return self.value[key]

    def number(self, key: str, *, low: float, high: float, above: bool = False, default: float | None = None) -> float:
        """A number from `low` (or above it) to `high`; `default`, if there is one, where the key is missing."""
        if default is not None and key not in self.value:
            return default
        value = self.given(key)
        found = math.nan
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= high:
            found = float(value)
        if not (found >= low and not (above and found == low)):
            limit = f"above {low:g} and at most {high:g}" if above else f"from {low:g} to {high:g}"
            raise self.error(f"must be a number {limit}, found {shown(value)}", key)
        return found

    def whole(self, key: str, *, low: int, high: int, default: int | None = None) -> int:
        """A whole number; `default`, if there is one, where the key is missing."""
        if default is not None and key not in self.value:
            return default
        return self._whole(self.given(key), low, high, key)

    def wholes(self, key: str, *, low: int, high: int) -> list[int]:
        """A list of whole numbers."""
        return [self._whole(value, low, high, key) for value in self._list(key)]

    def text(self, key: str, default: str | None = None) -> str:
        """Text that is not empty; `default`, if there is one, where the key is missing."""
        value = self.value.get(key, default) if default is not None else self.given(key)
        if not isinstance(value, str) or not value:
            raise self.error(f"must be text, found {shown(value)}", key)
        limits.TEXT.check(len(value), file=self.file, row=self.row, field=self._at(key))
        return value

    def flag(self, key: str) -> bool:
        """True or false; false where the key is missing."""
        value = self.value.get(key, False)
        if not isinstance(value, bool):
            raise self.error(f"must be true or false, found {shown(value)}", key)
        return value

    def part(self, key: str) -> "Entry":
        """The object under a key."""
        return Entry(self.given(key), self.file, self.row, self._at(key))

    def parts(self, key: str, cap: Cap) -> list["Entry"]:
        """The objects of a list."""
        values = self._list(key)
        self.check(len(values), cap, key)
        return [Entry(value, self.file, self.row, self._at(f"{key}[{i}]")) for i, value in enumerate(values)]

    def check(self, found: float, cap: Cap, key: str) -> None:
        """Raises InputError if a number is above a cap."""
        cap.check(found, file=self.file, row=self.row, field=self._at(key))

    def _list(self, key: str) -> list[Any]:
        value = self.given(key)
        if not isinstance(value, list):
            raise self.error(f"must be a list, found {shown(value)}", key)
        return value

    def _whole(self, value: Any, low: int, high: int, key: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.error(f"must be a whole number from {low} to {high}, found {shown(value)}", key)
        return value
