"""Shares of draws: every draw is in one of them."""

import pytest

from rarlib.model.draw_shares import share_of
from rarlib.model.errors import InputError


@pytest.mark.parametrize("draws", [1, 7, 16, 2000])
def test_every_draw_has_one_share(draws: int) -> None:
    """Shares follow one another, and differ by one draw at most."""
    shares = [share_of(f"sia-{k}-of-16", draws) for k in range(1, 17)]
    assert [number for share in shares for number in share.draws] == list(range(draws))
    lengths = [len(share.draws) for share in shares]
    assert max(lengths) - min(lengths) <= 1
    assert {share.member for share in shares} == {"sia"}


@pytest.mark.parametrize("cell", ["sia-0-of-16", "sia-17-of-16", "sia-1-of-0"])
def test_a_share_that_does_not_exist_is_refused(cell: str) -> None:
    with pytest.raises(InputError, match="no share"):
        share_of(cell, 10)
