"""Which part of a campaign runs in `make test`, and which in `make release` only."""

from collections.abc import Iterable
from typing import Any

import pytest


def first(count: int, values: Iterable[Any]) -> list[Any]:
    """Parameters of a test: the first few run with `make test`, the others with `make release`."""
    return [
        value if number < count else pytest.param(value, marks=pytest.mark.release)
        for number, value in enumerate(values)
    ]
