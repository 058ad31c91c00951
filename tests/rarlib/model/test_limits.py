"""Every cap: the largest number is accepted, the next one is refused."""

import pytest

from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.model.limits import Cap

ALL_CAPS = [each for each in vars(limits).values() if isinstance(each, Cap)]


@pytest.mark.parametrize("cap", ALL_CAPS, ids=[cap.what for cap in ALL_CAPS])
def test_the_largest_number_is_accepted_and_the_next_refused(cap: Cap) -> None:
    """The message says where the number and its reason stand."""
    for found in (0, cap.most - 1, cap.most):
        cap.check(found, file="f")
    for more in (cap.most + 1, cap.most + 0.5):
        with pytest.raises(InputError) as caught:
            cap.check(more, file="f", row=3, field="x")
        assert str(caught.value) == f"f, row 3, field x: more than {cap.most:,} {cap.what} (see rarlib/model/limits.py)"
