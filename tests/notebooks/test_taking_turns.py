"""What the text of notebooks/learn/10 says of two jobs on a link is so."""

import pytest

from tests.notebooks.learn import FOLDER, run


@pytest.fixture(scope="module")
def names():
    return run(FOLDER / "10-taking-turns.ipynb").names


def later(names, shift):
    both = names["history"](names["job"]("A"), names["job"]("B", shift))
    return names["mean_s"](both)["B"]


def test_a_quarter_of_a_second_decides(names):
    """By hand: for x below s, the jobs share the link for 2 (s - x), and each takes c + 2 s - x."""
    for shift in (0.0, 0.15, 0.3, 0.4, 0.6):
        assert later(names, shift) == pytest.approx(0.6 + 0.4 + max(0.4 - shift, 0.0))


def test_rules_of_sharing(names):
    fair = names["of_b"](0.2, 40)["value"]
    assert fair.to_numpy() == pytest.approx(1.2)
    first = names["of_b"](0.2, 40, priority=1)["value"].to_numpy()
    assert first[0] == pytest.approx(1.2)
    assert first[1:] == pytest.approx(1.0)
    noisy = names["of_b"](0.2, 200, noise=0.1)["value"]
    assert noisy.max() > 1.35
    assert noisy.min() < 1.05


def test_the_law_is_the_mean_and_counting_is_not(names):
    followed, law, counted = (names["table"].to_numpy()[:, column] for column in range(3))
    assert law[1] == pytest.approx(1.0 + 0.4 * 0.4)
    assert law == pytest.approx(followed, rel=0.02)
    assert (counted[1:] > 1.2 * followed[1:]).all()
