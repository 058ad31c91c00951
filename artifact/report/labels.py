"""What the labels of set-ups and settings mean: for a reader who meets `batch` or `three-types/k+0.3/profile/0.3`."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_PARTS = re.compile(r"[/ ]")


class ExplainedLabels(NamedTuple):
    """Labels of a section.

    Attributes:
        spelled: what the section's first paragraph explains, label -> meaning.
        hover: what is shown when a reader points at a label of a table, label -> meaning.
    """

    spelled: dict[str, str]
    hover: dict[str, str]


def explained(setups: Sequence[str], readings: Sequence[str], meanings: Mapping[str, str]) -> ExplainedLabels:
    """Labels that tables use, as far as anybody explains them.

    `setups`: labels of set-ups, as tables write them; `readings`: labels of readings; `meanings`: label, or part of a
    label between slashes or blanks -> meaning.
    """
    spelled: dict[str, str] = {}
    hover: dict[str, str] = {}
    for label in dict.fromkeys([*setups, *readings]):
        parts = [label] if label in meanings else _PARTS.split(label)
        known = {part: meanings[part] for part in parts if part in meanings}
        if known:
            hover[label] = "; ".join(known.values())
        spelled |= known
    return ExplainedLabels(spelled, hover)
