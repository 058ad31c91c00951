"""Instances of RAR-DDLS that are refused, and choices that are no schedule."""

import numpy as np
import pytest

from rarlib.cost.table import price_table
from rarlib.ilp.rar_ddls.slotted import Slotted, completions, each_from_others, intervals, slotted
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs


@pytest.mark.parametrize(
    ("change", "rule", "field"),
    [
        ({"slot_s": 2.0}, "slots of one unit", "slot"),
        ({"work": [0.0, 1.0]}, "must be whole, at least 1", "work"),
        ({"work": [1.5, 1.0]}, "must be whole, at least 1", "work"),
        ({"node_speed": [1.0, 2.0]}, "alike, in one rack", "nodes"),
        ({"node_link": [1.0, 2.0]}, "alike, in one rack", "nodes"),
        ({"sharing": [1.0, 1.0, 0.5]}, "must not speed a job up", "sharing"),
        ({"base_s": [0.1, 1.5]}, "never ends: not one", "iterations"),
    ],
)
def test_what_is_refused_and_the_field_that_is_named(change, rule, field):
    jobs, cluster = Jobs.build(submit_s=[0, 0], gpus=[2, 3], duration_s=[1, 1]), Cluster.of([2, 2])
    given = {"work": [1.0, 2.0], "base_s": [0.1, 0.1], "link_s": 0.2, "slot_s": 1.0} | change
    given = {name: np.array(value) if isinstance(value, list) else value for name, value in given.items()}
    with pytest.raises(InputError, match=rule) as error:
        slotted(jobs, cluster, price_table(jobs, cluster, **given))
    assert error.value.field == field


def test_choices_that_are_no_schedule_are_named():
    rate = np.full((2, 3, 3), 2)
    problem = Slotted((2, 2), (4, 4), (2, 2), rate)
    with pytest.raises(InputError, match=r"server 0 has 2 GPUs, 4 are needed in slot 1") as error:
        completions(problem, (0, 1), ((2, 0), (2, 0)))
    assert error.value.field == "placements"
    assert completions(problem, (0, 2), ((2, 0), (2, 0))) == [2, 4]
    with pytest.raises(InputError, match="every gang must hold exactly its size"):
        completions(problem, (0, 0), ((2, 0), (0, 1)))
    table = intervals(problem, each_from_others(problem), ["a", "b"])
    assert table.to_numpy().tolist() == [["a", 0, 2, 0, 2], ["b", 2, 4, 0, 2]]
    assert list(table.columns) == ["job_id", "start_s", "end_s", "node", "gpus"]
