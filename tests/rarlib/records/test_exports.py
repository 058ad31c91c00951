"""Exports follow the rules of their formats and say what happened."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from rarlib.records.batsim import BATSIM_COLUMNS, to_batsim
from rarlib.records.perfetto import to_perfetto
from rarlib.records.swf import to_swf


def test_perfetto_events_have_the_fields_of_their_phase(record):
    """Viewers drop events without them in silence."""
    trace = json.loads(to_perfetto(record))
    assert trace["displayTimeUnit"] in ("ms", "ns")
    assert trace["otherData"] == {"scheduler": "srtf", "cluster": "2x2"}
    needed = {"X": {"ts", "dur", "tid", "cat"}, "C": {"ts", "args"}, "M": {"args"}}
    times = []
    for event in trace["traceEvents"]:
        assert {"name", "ph", "pid"} | needed[event["ph"]] <= event.keys()
        if event["ph"] != "M":
            assert isinstance(event["ts"], int)
            times.append(event["ts"])
    assert times == sorted(times)


def swf_lines(text):
    return np.array([line.split() for line in text.splitlines() if not line.startswith(";")], dtype=np.int64)


def test_swf_header(record):
    """A reader finds the size of the machine and of the log in the header, which comes first."""
    text = to_swf(record)
    comments = [line for line in text.splitlines() if line.startswith(";")]
    assert text.startswith("; Version: 2.2\n")
    assert text.splitlines()[: len(comments)] == comments
    labels = dict(line[2:].split(": ", 1) for line in comments)
    assert (labels["MaxJobs"], labels["MaxNodes"], labels["MaxProcs"]) == ("6", "2", "4")
    assert int(labels["MaxRecords"]) == len(swf_lines(text))
    assert labels["Preemption"] == "Yes"


def test_swf_lines(record, busy_run):
    """18 whole numbers; one line per job by submission; bursts of a stopped job beside it, and they add up."""
    rows = swf_lines(to_swf(record))
    assert rows.shape[1] == 18
    whole = rows[rows[:, 10] == 1]
    assert whole[:, 0].tolist() == list(range(1, 7))
    assert (np.diff(whole[:, 1]) >= 0).all()
    assert (whole[:, 1] + whole[:, 2]).tolist() == np.rint(busy_run.start_s).tolist()
    assert whole[:, 7].tolist() == busy_run.jobs.gpus.tolist()
    for job in range(6):
        mine = rows[rows[:, 0] == job + 1]
        if busy_run.restarts[job] == 0:
            assert mine[:, 10].tolist() == [1]
            continue
        bursts = mine[1:]
        assert bursts[:, 10].tolist() == [2] * busy_run.restarts[job] + [3]
        assert bursts[:, 1].tolist() == [mine[0, 1]] + [-1] * busy_run.restarts[job]
        assert bursts[:, 3].sum() == mine[0, 3]
        assert mine[0, 1] + bursts[:, 2:4].sum() == round(busy_run.finish_s[job])
    assert (rows[:, [5, 6, 8, 9, *range(11, 18)]] == -1).all()


def test_batsim_table(record, busy_run):
    """Columns as Batsim names them; times follow from each other; attempts of a job follow each other."""
    table = pd.read_csv(io.StringIO(to_batsim(record)), dtype={"job_id": str, "profile": str})
    assert table.columns.tolist() == BATSIM_COLUMNS
    assert len(BATSIM_COLUMNS) == 17
    assert table["finish_time"].is_monotonic_increasing
    for total, parts in {
        "finish_time": ("starting_time", "execution_time"),
        "starting_time": ("submission_time", "waiting_time"),
        "turnaround_time": ("waiting_time", "execution_time"),
    }.items():
        assert table[total].to_numpy() == pytest.approx(table[list(parts)].sum(axis=1).to_numpy(), abs=3e-6)
    assert (table["waiting_time"] >= 0).all()
    for job, mine in table.groupby("profile"):
        row = int(job)
        assert mine["job_id"].tolist() == [job] + [f"{job}#{k}" for k in range(1, busy_run.restarts[row] + 1)]
        assert mine["success"].tolist() == [0] * busy_run.restarts[row] + [1]
        assert mine["turnaround_time"].sum() == pytest.approx(busy_run.turnaround_s[row], abs=1e-5)
