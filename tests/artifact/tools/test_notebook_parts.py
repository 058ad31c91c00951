"""Notebooks that take turns: no notebook is in no part."""

from pathlib import Path

import pytest

from rarlib.model.errors import InputError
from tools.notebooks import of_part

ALL = [Path(f"{number}.ipynb") for number in range(10)]


@pytest.mark.parametrize("count", [1, 2, 4, 7, 12])
def test_every_notebook_is_in_exactly_one_part(count: int) -> None:
    parts = [of_part(ALL, f"{number}/{count}") for number in range(1, count + 1)]
    assert sorted(path for part in parts for path in part) == sorted(ALL)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("part", ["", "0/4", "5/4", "1", "1/0", "-1/4", "a/b", "1/4\n", "١/4", "1/" + "9" * 5_000])
def test_a_part_that_is_none_is_refused(part: str) -> None:
    with pytest.raises(InputError, match="must be K/N"):
        of_part(ALL, part)
