"""The job table: order, identity and the rules every row must keep."""

import numpy as np
import pytest

from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs

GOOD = {"submit_s": [5.0, 3.0, 5.0], "gpus": [1, 2, 4], "duration_s": [10.0, 20.0, 0.0]}


def test_submission_order_with_stable_ties():
    """Rows of one instant must keep their order in the file, or every tie of the trace is broken otherwise."""
    jobs = Jobs.build(**GOOD, job_id=["a", "b", "c"], user=["x", "y", "z"])
    assert jobs.job_id.tolist() == ["b", "a", "c"]
    assert jobs.submit_s.tolist() == [0, 2, 2]
    assert jobs.gpus.tolist() == [2, 1, 4]
    assert jobs.user.tolist() == ["y", "x", "z"]


def test_ids_by_position():
    """Without ids the position by submission is the name."""
    assert Jobs.build(**GOOD).job_id.tolist() == ["0", "1", "2"]


def test_rigid_unless_limits_are_given():
    """A rigid job must not be resized."""
    jobs = Jobs.build(**GOOD)
    assert (jobs.min_gpus == jobs.gpus).all()
    assert (jobs.max_gpus == jobs.gpus).all()


@pytest.mark.parametrize(
    ("column", "value", "rule"),
    [
        ("submit_s", np.nan, "finite"),
        ("submit_s", np.inf, "finite"),
        ("submit_s", -1.0, "negative"),
        ("duration_s", np.nan, "finite"),
        ("duration_s", -0.5, "negative"),
        ("gpus", 0, "at least 1"),
        ("gpus", -2, "at least 1"),
        ("gpus", 1.5, "whole"),
        ("gpus", np.nan, "whole"),
        ("min_gpus", 0, "at least 1"),
        ("min_gpus", 3, "must not exceed gpus"),
        ("max_gpus", 1, "must not be below gpus"),
    ],
)
def test_bad_value(column, value, rule):
    """File, row as an editor counts it, field and rule: without them nobody finds the cell."""
    columns = {**GOOD, "gpus": [1, 2, 4], "min_gpus": [1, 1, 1], "max_gpus": [4, 4, 4]}
    columns[column] = [*columns[column]]
    columns[column][1] = value
    with pytest.raises(InputError, match=rf"log.csv, row 30, field {column}: .*{rule}") as caught:
        Jobs.build(file="log.csv", rows=np.array([20, 30, 40]), **columns)
    assert "\n" not in str(caught.value)


def test_duplicate_id():
    """Two jobs of one name could not be told apart in the results; the second row is the culprit."""
    with pytest.raises(InputError, match="row 4, field job_id: duplicate id a"):
        Jobs.build(**GOOD, job_id=["a", "b", "a"], file="log.csv", rows=np.array([2, 3, 4]))


def test_numbers_and_texts_may_collide():
    """Ids 7 and '7' are written alike, so they are one name."""
    with pytest.raises(InputError, match="duplicate id 7"):
        Jobs.build(**GOOD, job_id=[7, "7", 8])


def test_empty_trace():
    """No job, no run."""
    with pytest.raises(InputError, match=r"log\.csv: the trace holds no job"):
        Jobs.build(submit_s=[], gpus=[], duration_s=[], file="log.csv")
