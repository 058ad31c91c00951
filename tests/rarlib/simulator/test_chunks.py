"""A compiled run in chunks is the run in one piece: same bytes, whatever goes on across a chunk's end."""

from dataclasses import fields

import numpy as np
import pytest

from rarlib.cost.ring import RingCost, SlottedRingCost
from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import DecisionError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.simulator import compiled_run
from rarlib.simulator.compiled_run import chunk_ends
from rarlib.simulator.engine import simulate

DISCIPLINES = ("fifo", "fifo-backfill", "sjf", "srtf", "las")
CLUSTERS = ("3x2", "2x4", "1x8", "a:2x4,b:1x2")
PLACEMENTS = ("any", "pack", "spread", "random", "one-type")


def drawn(rng):
    """Jobs, some of which arrive at the same time or take no time at all, and the options of a run."""
    n = int(rng.integers(3, 60))
    submit_s = np.sort(rng.integers(0, 200, n) / rng.choice([1, 4]))
    duration_s = np.round(rng.exponential(60, n), rng.integers(0, 3)) * (rng.random(n) > 0.1)
    jobs = Jobs.build(submit_s=submit_s, gpus=rng.choice([1, 1, 2, 3, 4, 6], n), duration_s=duration_s)
    options = {
        "quantum": float(rng.choice([0.0, 0.0, 7.0, 60.0])),
        "restart_s": float(rng.choice([0.0, 5.0])),
        "until_s": float(rng.choice([np.inf, np.inf, 40.0, 250.0])),
    }
    return jobs, options | {"whole_slots": bool(options["quantum"] and rng.random() < 0.5)}


@pytest.mark.parametrize("size", [1, 4, 17])
@pytest.mark.parametrize("name", DISCIPLINES)
def test_same_bytes_as_in_one_piece(name, size, monkeypatch):
    carried = 0
    for case in range(25):
        rng = stream(case, "chunks", name)
        jobs, options = drawn(rng)
        cluster = Cluster.parse(str(rng.choice(CLUSTERS)))
        placement = str(rng.choice(PLACEMENTS))

        def run(jobs=jobs, options=options, cluster=cluster, placement=placement):
            scheduler = make_scheduler(name, {"placement": placement})
            return simulate(jobs, cluster, scheduler, RingCost(share=0.4), compiled=True, **options)

        whole = run()
        monkeypatch.setattr(compiled_run, "CHUNK", size)
        parts = run()
        monkeypatch.undo()
        assert parts.counters == whole.counters
        for field in fields(whole):
            one, other = getattr(whole, field.name), getattr(parts, field.name)
            if isinstance(one, np.ndarray):
                assert one.dtype == other.dtype, field.name
                assert one.tobytes() == other.tobytes(), field.name
        ends = list(chunk_ends(jobs.submit_s, size))
        carried += sum((whole.finish_s[:end] > jobs.submit_s[end - 1]).any() for end in ends[:-1])
    assert carried >= 10, "jobs must be under way at ends of chunks, else this tests nothing"


def test_progress_never_falls_and_ends_with_all(monkeypatch):
    monkeypatch.setattr(compiled_run, "CHUNK", 10)
    monkeypatch.setattr("rarlib.simulator.share._PAUSE_S", 0.0)
    jobs = Jobs.build(submit_s=np.arange(95.0), gpus=np.ones(95), duration_s=np.full(95, 3.0))
    seen = []
    simulate(jobs, Cluster.of([4]), make_scheduler("fifo"), TraceCost(), progress=seen.append)
    assert len(seen) >= 10
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_a_run_that_stands_still_names_the_job_of_the_whole_table(monkeypatch):
    """Two gangs that share a server never finish an iteration (see test_waking.py); a third job has left before."""
    monkeypatch.setattr(compiled_run, "CHUNK", 1)
    jobs = Jobs.build(job_id=["a", "b", "c"], submit_s=[0.0, 20.0, 20.0], gpus=[1, 3, 3], duration_s=np.ones(3))
    cost = SlottedRingCost(np.full(3, 2.0), np.full(3, 0.4), 0.5, cap=2.0, alpha=1.0)
    with pytest.raises(DecisionError, match="job b runs, but never ends"):
        simulate(jobs, Cluster.of([2, 2, 2]), make_scheduler("fifo"), cost, quantum=1.0, whole_slots=True)
