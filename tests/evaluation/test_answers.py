"""Whatever a policy answers, its side of the run either goes on or ends with the documented error."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rarlib.evaluation.evaluate import first_look
from rarlib.evaluation.processes import PolicyError

NUMBERS = st.one_of(
    st.integers(-2, 30),
    st.sampled_from([2**31, 2**53 - 1, 2**53, 2**63, 10**400, -(2**63)]),
    st.floats(),
    st.booleans(),
)
ANYTHING = st.recursive(
    st.one_of(NUMBERS, st.none(), st.text(max_size=5), st.sampled_from(["start", "stop", "wake", "allocate"])),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=12,
)
PLACEMENTS = st.lists(st.lists(NUMBERS, min_size=2, max_size=2), max_size=3)
TABLES = st.integers(0, 3).flatmap(
    lambda rows: st.tuples(
        st.just("allocate"),
        st.lists(NUMBERS, min_size=rows, max_size=rows),
        st.lists(st.lists(NUMBERS, min_size=2, max_size=2), min_size=rows, max_size=rows),
    )
)
DECISIONS = st.one_of(
    st.tuples(st.just("start"), NUMBERS, PLACEMENTS, NUMBERS),
    st.tuples(st.just("stop"), NUMBERS),
    st.tuples(st.just("wake"), NUMBERS),
    TABLES,
    ANYTHING,
)


class Said:
    """Stands for the process of a policy that gives these answers and then fails."""

    def __init__(self, answers: list[Any]) -> None:
        # What the connection would have read: JSON has lists only.
        self.answers, self.asked = [json.loads(json.dumps(each)) for each in answers], 0

    def start(self, told: dict[str, Any], *, limits: object, until: float) -> "Said":
        return self

    def ask(self, message: dict[str, Any], when: str, word: str) -> Any:
        self.asked += 1
        if self.asked > len(self.answers):
            raise PolicyError(f"{when}: nothing more is said")
        return self.answers[self.asked - 1]

    def close(self) -> None:
        """Nothing runs."""


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(st.lists(DECISIONS, max_size=4), ANYTHING), max_size=6))
def test_any_answer_is_carried_out_or_refused(answers: list[Any]) -> None:
    """No answer raises anything else, and so few decisions cannot end all jobs."""
    said = Said(answers)
    reason = first_look(said, "policy", "", None)  # type: ignore[arg-type]
    assert reason.startswith("first look: ") and len(reason) > 20


@pytest.mark.parametrize("gpus", [2**53 - 1, 2**62])
def test_large_numbers_do_not_wrap_around(gpus: int) -> None:
    """Four times 2**62 GPUs would be none at all in 64 bits."""
    for answer in ([["start", 0, [[0, gpus]] * 4, 0]], [["allocate", [0], [[gpus, gpus]]]], [["stop", gpus]]):
        assert first_look(Said([answer]), "policy", "", None).startswith("first look: ")  # type: ignore[arg-type]
