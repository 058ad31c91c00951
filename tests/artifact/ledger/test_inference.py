"""Inference of unstated parameters, on a paper whose parameters we have chosen ourselves."""

import numpy as np
import pandas as pd
import pytest

from artifact.ledger import inference
from artifact.unknowns import Unknown, table_of_draws

UNKNOWNS = [
    Unknown("slope", 0.0, 10.0),
    Unknown("scale", 1.0, 100.0, "log"),
    Unknown("idle", 0.0, 1.0),
    Unknown("how", scale="choice", choices=("add", "subtract")),
]
TRUE = {"slope": 4.0, "scale": 10.0, "how": "add"}
IDS = [f"q-{k}" for k in range(8)]


def outcomes(parameters):
    """Four figures with two numbers each; `q-7` is out of reach, `idle` changes nothing."""
    sign = 1.0 if parameters["how"] == "add" else -1.0
    found = {name: parameters["slope"] * (k + 1) + sign * parameters["scale"] for k, name in enumerate(IDS[:7])}
    return {**found, "q-7": -100.0 - parameters["slope"]}


@pytest.fixture(scope="module")
def draws(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inference")
    true = {**outcomes(TRUE), "q-7": 1000.0}
    listed = [f"{name},q,Fig. {k // 2},S,x,{true[name]},slot,figure" for k, name in enumerate(IDS)]
    (folder / "data").mkdir()
    (folder / "data/published.csv").write_text("\n".join(["id,paper,where,series,x,value,unit,trust", *listed]) + "\n")
    entries = [f"  - {{published: {name}, formula: {{kind: value, table: t}}}}" for name in IDS]
    head = "paper: q\ndefaults: {tolerance: {relative: 0.1}}\nclaims:\n"
    (folder / "config/claims").mkdir(parents=True)
    (folder / "config/claims/q.yaml").write_text(head + "\n".join(entries) + "\n")
    made = table_of_draws(UNKNOWNS, 4000, outcomes, experiment="q-inference", member="all")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inference, "ROOT", folder)
        return inference.read_draws(made)


def test_the_nearest_draws_surround_the_parameters_we_chose(draws):
    found = inference.posterior(draws)
    for name in ("slope", "scale"):
        assert found.loc[name, "low"] <= TRUE[name] <= found.loc[name, "high"]
        assert found.loc[name, "width"] < 0.3
    assert found.loc["idle", "width"] > 0.6
    assert found.loc["how", "high"] == 0.0  # "add" is the first choice


def test_a_number_out_of_reach_stays_contradictory(draws):
    table = inference.by_number(draws)
    assert table.loc["q-7", "share"] == 0.0
    assert (table.loc[IDS[:7], "share"] > 0).all()
    assert inference.hits(draws).max() == 7
    assert (inference.best(draws)["hits"] == 7).all()


def test_fitted_draws_predict_the_figures_they_have_not_seen(draws):
    table = inference.held_out(draws)
    assert table["fitted"].mean() > 2 * table["prior"].mean()


def test_what_was_fitted_on_noise_predicts_nothing(draws):
    """The same draws, but numbers that have nothing to do with the parameters."""
    rng = np.random.default_rng(1)
    noise = pd.DataFrame(rng.normal(1.0, 0.2, draws.values.shape), draws.values.index, draws.values.columns)
    blind = inference.Draws(draws.parameters, noise, draws.published * 0 + 1.0, draws.within * 0 + 0.1, draws.where)
    table = inference.held_out(blind)
    assert abs(table["fitted"].mean() - table["prior"].mean()) < 0.05


def test_numbers_that_exclude_each_other_are_found():
    """Each half of the draws brings out one of the first two; the third is met in half of each."""
    names, half, _odd = ["a", "b", "c"], np.arange(40) < 20, np.arange(40) % 2 == 1
    values = np.column_stack(
        [np.where(half, 1.0, 2.0), np.where(half, 2.0, 1.0), np.where(np.arange(40) % 2, 1.0, 2.0)]
    )
    draws = inference.Draws(
        pd.DataFrame({"p": np.arange(40.0)}),
        pd.DataFrame(values, columns=names),
        pd.Series(1.0, names),
        pd.Series(0.1, names),
        pd.Series("Fig. 1", names),
    )
    table = inference.never_together(draws)
    assert table[["first", "second"]].to_numpy().tolist() == [["a", "b"]]
    assert table["expected"].item() == 10.0
