"""Every cap: the number of the page, which is accepted, and the next one, which is refused."""

import re
from pathlib import Path

import pytest

from rarlib.model.errors import InputError
from rarlib.model.limits import ALL_CAPS, Cap

PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([\d,]+) \| (.+?) \| (.+?) \| .+ \|$", PAGE, re.MULTILINE)


def test_the_page_lists_every_cap() -> None:
    """In the order of the module, each once."""
    assert [(what, where) for _, what, where in ROWS] == [(cap.what, cap.where) for cap in ALL_CAPS]


@pytest.mark.parametrize(("cap", "row"), list(zip(ALL_CAPS, ROWS, strict=True)), ids=[cap.what for cap in ALL_CAPS])
def test_a_cap_is_the_number_of_the_page_and_belongs_to_what_is_accepted(cap: Cap, row: tuple[str, str, str]) -> None:
    """The message is the one that the user looks up there, and says where the number stands."""
    most = int(row[0].replace(",", ""))
    for found in (0, most - 1, most):
        cap.check(found, file="f")
    for more in (most + 1, most + 0.5):
        with pytest.raises(InputError) as caught:
            cap.check(more, file="f", row=3, field="x")
        assert str(caught.value) == f"f, row 3, field x: more than {row[0]} {row[1]} (see docs/limits.md)"
