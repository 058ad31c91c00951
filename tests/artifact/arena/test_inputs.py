"""From the pipeline's file to workloads, and the audit beside them."""

import logging

import numpy as np
import pytest

from artifact.arena.audit import QUANTITIES
from artifact.arena.inputs import ArenaInputs, profile_set
from artifact.arena.windows import REASONS
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError

CLUSTERS = {"three-types": "t4:4x4,rtx:1x8,a100:1x8", "homogeneous": "t4:8x4"}


@pytest.fixture(scope="module")
def audit(arena):
    return arena.audit(0.7, CLUSTERS)


def test_stand_ins_are_named_everywhere(made, arena, audit, offline, caplog):
    assert made.origin == "stand-in" and made.provenance["standin"]
    assert all(trace["standin"] for trace in arena.traces.values())
    assert all(facts["standin"] for facts in made.provenance["traces"].values())
    assert "STAND-IN" in made.provenance["traces"]["philly-pollux"]["note"]
    assert audit["standin"].all()
    with caplog.at_level(logging.WARNING, logger="rarlib.traces"):
        profile_set("arena", {"sources": ["sia-philly-2"], "seeds": 1, "jobs": 5})
    assert "STAND-IN for sia-philly-2" in caplog.text


@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=list(CLUSTERS))
def test_workloads_have_the_load_and_can_run(arena, cluster):
    """Demand is counted from the job table itself; every job is admitted as it stands."""
    room = Cluster.parse(cluster)
    for trace in arena.traces:
        jobs, predictable = arena.workload(trace, 1, 0.6, cluster)
        equal = arena.fitted(trace, 1, cluster).reference_gpus
        demand = (jobs.gpus * jobs.duration_s).sum()
        assert demand / (equal * (jobs.submit_s[-1] - jobs.submit_s[0])) == pytest.approx(0.6, rel=1e-9)
        assert set(jobs.adaptivity) == {"adaptive"} and predictable.shape == (len(jobs),)
        admitted = arena.cost.admit(jobs, room)
        assert (admitted.gpus == jobs.gpus).all() and (admitted.batch_size == jobs.batch_size).all()
        assert (jobs.gpus <= 4 * (room.gpus == 4).sum()).all()


def test_a_cut_gang_asks_for_as_much_gpu_time(arena):
    """A window by hand: 8 GPUs for 1,000 s on a cluster whose first type has 4; another that nobody can hold."""
    jobs = {
        "job_id": ["x", "y", "z"],
        "submit_s": [0.0, 50.0, 100.0],
        "gpus": [8, 99, 2],
        "duration_s": [1000.0, 60.0, 500.0],
        "application": ["cifar10"] * 3,
        "batch_size": [0, 0, 0],
    }
    window = {"jobs": jobs, "first": 0, "read": 3, "dropped": dict.fromkeys(REASONS, 0)}
    own = ArenaInputs(arena.profiles, {"toy": {"named": False, "standin": False, "windows": [window]}})
    found = own.workload("toy", 1, 0.5, "t4:1x4,rtx:1x8").jobs
    assert found.job_id.tolist() == ["x", "z"]
    assert found.gpus.tolist() == [4, 2] and found.duration_s.tolist() == [2000.0, 500.0]
    row = own.audit(0.5, {"small": "t4:1x4,rtx:1x8"}).iloc[0]
    assert (row["window"], row["gang"], row["jobs"], row["cut"]) == (3, 1, 2, 1)
    assert row["gpu_hours"] == pytest.approx(9000 / 3600)
    with pytest.raises(InputError, match="no job for 1 GPUs"):
        own.workload("toy", 1, 0.5, "t4:1x1")


def test_the_audit_adds_up(audit, arena):
    assert len(audit) == 2 * sum(len(trace["windows"]) for trace in arena.traces.values())
    assert (audit["read"] == audit["kept"] + audit[list(REASONS)].sum(axis=1)).all()
    assert (audit["window"] == audit["jobs"] + audit["gang"]).all() and (audit["window"] == 40).all()
    shares = audit[[name for name in audit if name.startswith("share_")]].sum(axis=1)
    np.testing.assert_allclose(shares, 1.0, rtol=1e-12)
    np.testing.assert_allclose(audit["load"], 0.7, rtol=1e-12)
    demand = audit["gpu_hours"] / audit["reference_gpus"]
    np.testing.assert_allclose(demand / audit["span_recorded"], audit["load_recorded"], rtol=1e-12)
    assert (audit.loc[audit["cluster"] == "homogeneous", "reference_gpus"] == 32.0).all()
    assert list(audit)[3:] == [each.name for each in QUANTITIES]


@pytest.mark.parametrize("content", ["{", "[]", '{"profiles": {}}'])
def test_another_file_is_refused(tmp_path, content):
    path = tmp_path / "arena.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"arena\.json.*(JSON|mapping)"):
        ArenaInputs.read(path)
    with pytest.raises(InputError, match="no such file"):
        ArenaInputs.read(tmp_path / "none.json")
