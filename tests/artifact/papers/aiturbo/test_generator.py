"""Jobs drawn from the study's statistics: like the study, by the shares asked for, and through the data layer."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.cost.parameter_server import dataset
from rarlib.cost.parameter_server.generator import sample_study
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream
from rarlib.traces.formats.aiturbo import STUDY_COLUMNS
from rarlib.traces.profile import profile_path
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import read_sources

STATISTICS = dataset.read_statistics()


def _drawn(n=8692, seed=0, **shares):
    return sample_study(STATISTICS, n, stream(seed, "test"), **shares)


def _real():
    if at_hand(read_sources()["aiturbo"][0]) is None:
        pytest.skip("aiturbo is not at hand; set RARLIB_MIRROR or run: rarlib sources fetch aiturbo")
    made = dataset.profile_set("study", {"seed": 0})
    assert not made.provenance["standin"]
    return pd.DataFrame(made.data)


def test_drawn_jobs_look_like_the_published_study():
    """Against the values published with the data set, not against our statistics."""
    frame = _drawn()
    hours = frame["running_s"] / 3600
    assert list(frame) == list(STUDY_COLUMNS.values())
    assert 100 * frame["unpredictable"].mean() == pytest.approx(14.97, abs=1.2)
    assert frame["type"].nunique() == 27
    assert hours.mean() == pytest.approx(3.08, rel=0.06)
    assert hours.median() == pytest.approx(2.02, rel=0.06)
    assert hours.quantile(0.9) == pytest.approx(7.9, rel=0.1)
    assert 20 < hours.max() <= 24.8
    bad = frame.groupby("first")["unpredictable"].mean()
    assert bad.tolist() == pytest.approx([0.043, 0.414], abs=0.03)
    shares = frame["gpus"].value_counts(normalize=True)
    for gpus, share in ((6, 0.415), (1, 0.216), (8, 0.132), (0, 0.117), (2, 0.095), (4, 0.024)):
        assert shares[gpus] == pytest.approx(share, abs=0.015)
    assert frame["running_s"][frame["unpredictable"] == 1].median() == pytest.approx(470, rel=0.15)
    assert frame["running_s"][frame["unpredictable"] == 0].median() == pytest.approx(8970, rel=0.06)


@settings(max_examples=15)
@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_shares_asked_for_hold_together(unpredictable, first, cpu_only):
    """A later share must not undo an earlier one; 4000 jobs are within four standard deviations."""
    frame = _drawn(4000, unpredictable=unpredictable, first=first, cpu_only=cpu_only)
    for found, share in (
        (frame["unpredictable"].mean(), unpredictable),
        (frame["first"].mean(), first),
        ((frame["gpus"] == 0).mean(), cpu_only),
    ):
        assert found == pytest.approx(share, abs=4 * np.sqrt(0.25 / 4000))


def test_without_the_file_a_labelled_standin_serves(offline, tmp_path):
    """Drawn jobs must never pass for the data set, and must be the same on every machine."""
    made, again = (dataset.profile_set("study", {"seed": 3}) for _ in range(2))
    assert (made.origin, made.provenance["standin"], made.provenance["rows"]) == ("stand-in", True, 8692)
    assert made.data == again.data
    path = tmp_path / "study.json"
    path.write_text(json.dumps(made.data))
    pd.testing.assert_frame_equal(dataset.read_frame(path), pd.DataFrame(made.data))
    with pytest.raises(InputError, match="field reads: needs the data set"):
        dataset.read_frame(None)
    with pytest.raises(InputError, match="statistics must come from the authors' file"):
        dataset.main()


@pytest.mark.real
def test_committed_statistics_are_those_of_the_data_set(monkeypatch):
    """The file must be what the named command makes of the named digest."""
    _real()
    made = {}
    monkeypatch.setattr(dataset, "write_text", lambda path, text: made.update({path: text}))
    dataset.main()
    assert made == {profile_path("aiturbo-study"): profile_path("aiturbo-study").read_text(encoding="utf-8")}


@pytest.mark.real
def test_no_statistic_spells_out_a_job():
    """Quantiles of groups of 60 jobs or more, combinations that five jobs or more share."""
    frame = _real()
    for each in STATISTICS["types"]:
        rows = frame[frame["type"] == each["type"]]
        for label, name in enumerate(("predictable", "unpredictable")):
            jobs = int((rows["unpredictable"] == label).sum())
            assert jobs == sum(pair[label] for pair in each["jobs"])
            assert len(each["running_s"].get(name, [])) <= jobs / 5
        assert all(kind[-1] >= 5 for kind in each["kinds"])


@pytest.mark.real
def test_the_data_set_is_the_one_described():
    """Numbers of the note on the data set that no row of the ledger holds."""
    frame = _real()
    hours = frame["running_s"] / 3600
    cdf = {0.1: 0.129, 0.25: 0.268, 0.5: 0.319, 1: 0.396, 2: 0.497, 4: 0.756, 6: 0.875, 8: 0.902, 12: 0.946, 16: 0.978}
    for limit, share in cdf.items():
        assert (hours <= limit).mean() == pytest.approx(share, abs=0.001)
    gpu_s = (frame["running_s"] * frame["gpus"]).groupby(frame["unpredictable"]).sum()
    assert gpu_s.div(3600).round().tolist() == [92346, 1841]
    assert ((frame["accuracy"] < 0.435) == (frame["unpredictable"] == 1)).mean() == pytest.approx(0.959, abs=0.0005)
    found = frame.corrwith(frame["unpredictable"])
    for column, value in (("accuracy", -0.81), ("loss", 0.54), ("first", 0.47), ("running_s", -0.295), ("gpus", 0.13)):
        assert found[column] == pytest.approx(value, abs=0.006)
    assert frame[frame["gpus"] == 0]["type"].value_counts().to_dict() == {3: 466, 1: 339, 24: 215}
