"""Shares of the draws of a table, so that cells of their own can run them side by side."""

import re
from typing import NamedTuple

from rarlib.model.errors import InputError

_SHARE = re.compile(r"(.+)-(\d+)-of-(\d+)")


class DrawShare(NamedTuple):
    """The draws of a cell.

    Attributes:
        member: of the table, without the share.
        draws: their numbers.
    """

    member: str
    draws: range


def share_of(cell: str, draws: int) -> DrawShare:
    """All draws, or the k-th of n shares for a cell that ends with `-k-of-n`; all shares in order make the whole.

    Raises:
        InputError: no such share.
    """
    found = _SHARE.fullmatch(cell)
    if found is None:
        return DrawShare(cell, range(draws))
    k, n = int(found[2]), int(found[3])
    if not 1 <= k <= n:
        raise InputError(f"no share {k} of {n}", field="cells")
    return DrawShare(found[1], range((k - 1) * draws // n, k * draws // n))
