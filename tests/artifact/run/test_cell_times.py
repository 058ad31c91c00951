"""The time that everything is predicted to take, and the configuration that runs everything."""

import copy
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from artifact.run import cell_times, costs
from artifact.run.config import check_config
from artifact.run.settings import merged

ROOT = Path(__file__).parents[3]
CONFIG, FULL = ROOT / "config/config.yaml", ROOT / "config/full.yaml"
DEFAULT = merged(CONFIG)
TINY = {
    "only": [],
    "experiments": {
        "gadget": {"seeds": 2, "readings": ["fitted"], "cells": {"fig4": ["gadget", "fifo"]}},
        "sjf_bco": {"seeds": 3, "readings": ["fitted"], "cells": {"fig4": ["random"]}},
    },
}


def records(**taken):
    rows = [("reproduce", "cell", name.replace("_", "-"), value, "s") for name, value in taken.items()]
    rows += [("reproduce", "figure", "gadget-fig4", 7.0, "s"), ("smoke", "cell", "gadget-fig4-fifo", 99.0, "s")]
    return pd.DataFrame([*rows, ("setup", "probe", "", 0.02, "s")], columns=costs.COST_COLUMNS)


def test_time_beyond_the_start_grows_with_the_runs():
    """Five times the seeds: five times what exceeds the start; a member without a record takes its table's rate."""
    more = copy.deepcopy(TINY)
    more["experiments"]["gadget"] |= {"seeds": 10, "cells": {"fig4": ["gadget", "fifo", "las"]}}
    more["experiments"]["sjf_bco"]["readings"] = ["fitted", "stated"]
    taken = records(gadget_fig4_gadget=12.0, gadget_fig4_fifo=4.0, sjf_bco_fig4_random=5.0)
    found = cell_times.cell_seconds(taken, TINY, more)
    assert found["gadget-fig4-gadget"] == pytest.approx(cell_times.START_S + 5 * 10)
    assert found["gadget-fig4-las"] == pytest.approx(cell_times.START_S + 5 * (10 + 2) / 2)
    assert found["sjf-bco-fig4-random"] == pytest.approx(cell_times.START_S + 2 * 3)


def test_full_is_a_valid_configuration_and_leaves_nothing_out():
    everything = merged(CONFIG, FULL)
    check_config(everything)
    whole = {(name, part, re.sub(r"-\d+-of-\d+$", "", member)) for name, part, member in cell_times.cells(everything)}
    assert set(cell_times.cells(DEFAULT)) <= whole
    assert yaml.safe_load(FULL.read_text())["results"] != DEFAULT["results"]
