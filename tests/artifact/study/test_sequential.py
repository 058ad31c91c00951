"""Looks, decisions and power, against brute force and against what the intervals promise."""

import numpy as np
import pandas as pd
import pytest

from artifact.ledger.sequential import ALPHA, confidence_of, decide_statement
from artifact.study.document import Statement
from artifact.study.pairs import POOLED, decisions, paired
from artifact.study.power import power_of

LOOKS = (4, 8, 12)


def test_a_true_mean_is_rarely_decided_against() -> None:
    """At the edge every decision is wrong; of 4,000 studies at most 5 % may decide, plus three standard errors."""
    rng = np.random.default_rng(1)
    wrong = sum(decide_statement(row, 1.0, LOOKS).holds is not None for row in rng.normal(1.0, 0.2, (4000, 12)))
    assert wrong / 4000 <= ALPHA + 3 * (ALPHA * (1 - ALPHA) / 4000) ** 0.5


def test_the_first_decisive_look_counts() -> None:
    clear = np.array([0.5, 0.51, 0.49, 0.5, 9.0, 9.0, 9.0, 9.0])
    assert decide_statement(clear, 1.0, LOOKS)[:2] == (True, 4)
    assert decide_statement(2 - clear[:4], 1.0, LOOKS)[:2] == (False, 4)
    wide = decide_statement(np.array([0.2, 1.8, 0.2, 1.8]), 1.0, LOOKS)
    assert wide.holds is None and wide.low < 1.0 < wide.high


@pytest.mark.parametrize(("ratio", "seeds"), [(0.8, 8), (0.9, 12), (0.7, 4)])
def test_power_is_what_simulation_finds(ratio: float, seeds: int) -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(ratio, 0.2, (4000, seeds))
    found = np.mean([decide_statement(row, 1.0, (seeds,)).holds is True for row in rows])
    assert power_of(ratio, 0.2, 1.0, seeds, confidence_of(1)) == pytest.approx(found, abs=0.025)


def runs(values: dict[tuple[str, str, int], float]) -> pd.DataFrame:
    rows = [("s-runs", setup, "c/t/0/model", name, "load", "0.8", seed, "mean_jct", value, "h")
            for (setup, name, seed), value in values.items()]  # fmt: skip
    columns = ["experiment", "setup", "reading", "scheduler", "x_name", "x", "seed", "metric", "value", "unit"]
    return pd.DataFrame(rows, columns=columns)


def test_ratios_are_paired_by_seed_and_pooled_over_traces() -> None:
    rng = np.random.default_rng(3)
    values = {
        (setup, name, seed): float(rng.uniform(1, 2)) for setup in "ab" for name in ("x", "y") for seed in (1, 2, 3)
    }
    del values["b", "y", 3]  # this seed is not whole
    statement = Statement("first", "x", "y", "mean_jct", 1.0, ("a", "b"))
    found = paired(runs(values), [statement], "s")
    whole = found[(found["setup"] == POOLED) & (found["reading"] == "first")].set_index("seed")["value"]
    by_hand = {seed: np.prod([values[s, "x", seed] / values[s, "y", seed] for s in "ab"]) ** 0.5 for seed in (1, 2)}
    assert whole.to_dict() == pytest.approx(by_hand)
    one = found[(found["setup"] == "a") & (found["reading"] == POOLED)].set_index("seed")["value"]
    assert one.to_dict() == pytest.approx({seed: values["a", "x", seed] / values["a", "y", seed] for seed in (1, 2, 3)})
    assert decisions(runs(values), [statement], (2,))["first"].mean == pytest.approx(np.mean([*by_hand.values()]))
