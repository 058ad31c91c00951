"""Fits of a toy paper whose answer is known: two unknowns are identified, the others are not."""

import pytest

from artifact.ledger import fit, guards
from artifact.ledger.reading import Effort, PaperPlan
from artifact.unknowns import Unknown

PRINTED = {"a-1": 30.0, "a-2": 12.0, "b-1": 60.0, "b-2": 24.0}
"""What slope 3 and `add` give without noise."""

PLAN = PaperPlan(
    paper="toy",
    unknowns=(
        Unknown("slope", 0.5, 10.0),
        Unknown("how", scale="choice", choices=("take", "add")),
        Unknown("idle", scale="choice", choices=(1, 2, 3)),
        Unknown("unseen", 0.0, 1.0),
    ),
    text={"slope": 1.0, "how": "take", "idle": 2, "unseen": 0.25},
    fitted=("a-1", "a-2"),
    tested=("b-1", "b-2"),
    published=PRINTED,
    where={name: "Fig. 1" if name.startswith("a") else "Fig. 2" for name in PRINTED},
    orders=(("a-2", "a-1"),),
    violated=0.2,
    alive=(0.0, 1.0),
    without={"slope": 1.0},
    seeds=(5, 10),
    chosen=None,
    effort=Effort(20, 20, 8, 3),
    by_hand={"other": ("a guess", {"slope": 4.0, "how": "add", "idle": 1, "unseen": 0.0})},
)


def outcomes(parameters, seed, only_fitted):
    """Four numbers; `unseen` enters tested ones only, `idle` none; the same noise for every reading."""
    noise = 1.0 + 0.05 * ((7 * seed) % 5 - 2)
    sign = 1.0 if parameters["how"] == "add" else -1.0
    values = {"a-1": 10.0 * parameters["slope"] * noise, "a-2": (9.0 + sign * parameters["slope"]) * noise}
    if not only_fitted:
        values |= {"b-1": 20.0 * parameters["slope"] * noise, "b-2": 24.0 * (1.0 + parameters["unseen"] - 0.25)}
    return values | {"alive": parameters["slope"] / 10.0}


@pytest.fixture(scope="module")
def runs():
    return fit.Runs(outcomes)


@pytest.fixture(scope="module")
def chosen(runs):
    return fit.fit(PLAN, runs)


def test_what_the_numbers_identify_is_found_and_the_rest_keeps_the_text(chosen):
    assert chosen["slope"] == pytest.approx(3.0, rel=0.05)
    assert chosen["how"] == "add"
    assert (chosen["idle"], chosen["unseen"]) == (2, 0.25)
    assert fit.differing(PLAN, chosen) == 2


def test_a_killed_fit_goes_on_where_it_was(tmp_path, chosen):
    """Nothing is computed twice, even where the last line was cut, and the result is the same."""
    path, count = tmp_path / "runs.jsonl", [0]

    def counted(parameters, seed, only_fitted):
        count[0] += 1
        if count[0] == 300:
            raise KeyboardInterrupt
        return outcomes(parameters, seed, only_fitted)

    with pytest.raises(KeyboardInterrupt):
        fit.fit(PLAN, fit.Runs(counted, path))
    path.write_text(path.read_text()[:-5])
    done = len(path.read_text().split("\n")) - 2
    assert fit.fit(PLAN, fit.Runs(counted, path)) == chosen
    again = fit.Runs(outcomes)
    fit.fit(PLAN, again)
    assert count[0] - 300 == len(again._known) - done


def test_the_guards_count_by_hand(chosen, runs):
    """The reading brings out all four numbers, the text only the one that slope does not enter."""
    assert guards.row(PLAN, "r", runs.of(chosen, PLAN.judged, cheap=False), "")[1:5] == (2, 2, 2, 2)
    assert guards.row(PLAN, "t", runs.of(PLAN.text, PLAN.judged, cheap=False), "")[1:5] == (0, 2, 1, 2)
    assert guards.moved(PLAN, runs, chosen) == 0.75
    (other,) = guards.by_hand(PLAN, runs, chosen)
    assert (other[0], *other[1:5]) == ("by hand, other", 1, 2, 0, 2)
    assert other[-1] == "a guess; fits worse than the reading"
    free = guards.left_to_the_text(PLAN, runs, chosen, fit.along(PLAN, runs, chosen))
    assert [each[3] for each in free] == [1, 2]


def test_chance_is_far_below_and_other_figures_agree(runs):
    drawn = guards.pool(PLAN, runs)
    mean, _, high = guards.chance(PLAN, drawn)
    assert mean[3] < 1.0 <= high[3]
    others = guards.other_figures(PLAN, runs)
    assert [each[0] for each in others] == ["fitted on Fig. 2"]
    assert others[0][1] == 2
    ((_, fitted, _, tested, *_), _) = guards.best_of_all(PLAN, runs)
    assert (fitted, tested) == (2, 2)
