"""The study's rows against independent computation; ratios of the figures."""

import json

import pandas as pd
import pytest

from artifact.papers.aiturbo.figures import evaluation
from artifact.papers.aiturbo.study import run_study
from rarlib.cost.parameter_server.dataset import read_statistics
from rarlib.cost.parameter_server.generator import sample_study
from rarlib.model.seeds import stream
from rarlib.records.tidy import TIDY_COLUMNS

FRAME = sample_study(read_statistics(), 600, stream(0, "test"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "study.json"
    path.write_text(json.dumps({column: FRAME[column].tolist() for column in FRAME}))
    return path


def test_shares_by_direct_counting(data):
    rows = run_study("shares", {"seeds": 1}, data).set_index(["metric", "reading", "x"])["value"]
    first = FRAME[FRAME["first"] == 1]
    assert rows["unpredictable", "first", ""] == pytest.approx(100 * (first["unpredictable"] == 1).sum() / len(first))
    assert rows["predictable", "all", ""] + rows["unpredictable", "all", ""] == pytest.approx(100)
    kind = FRAME["type"].iloc[0]
    assert rows["jobs", "all", f"{kind:g}"] == (FRAME["type"] == kind).sum()


def test_ratios_are_taken_on_the_same_instance():
    """1 over 2, 4 over 2 and 9 over 3: the mean is 5.5 / 3, while the ratio of the means is 2."""
    rows = [
        ("aiturbo", "study", "stated", name, "", "", seed, "jct_all_s", value, "s")
        for name, values in {"aiturbo": [2.0, 2.0, 3.0], "optimus": [1.0, 4.0, 9.0]}.items()
        for seed, value in enumerate(values)
    ]
    found = evaluation.relative_to(pd.DataFrame(rows, columns=TIDY_COLUMNS), "jct_all_s", along="setup")["optimus"]
    assert found.tolist() == [0.5, 2.0, 3.0]
