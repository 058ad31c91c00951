"""`rarlib replay` without a Slurm: what it refuses, and that it says why before anything is brought up."""

import pytest


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "my.csv"
    path.write_text("submit_s,gpus,duration_s\n0,3,10\n1,1,10\n")
    return path


def test_a_slurm_must_be_asked_for(trace, tmp_path, refused):
    said = refused("replay", trace, "--cluster", "2x2", "--out", tmp_path / "out")
    assert "--slurm: jobs are replayed on a Slurm only" in said


def test_input_is_checked_first(trace, tmp_path, refused):
    told = refused("replay", trace, "--slurm", "--cluster", "1x2", "--out", tmp_path / "out")
    assert "job 0 asks for 3 GPUs, the cluster has 2" in told
    assert not (tmp_path / "out").exists()


def test_missing_programs_are_named(trace, tmp_path, refused, monkeypatch):
    monkeypatch.setattr("artifact.slurm.loopback.DAEMONS", ("slurmctld-nowhere",))
    told = refused("replay", trace, "--slurm", "--cluster", "2x2", "--out", tmp_path / "out")
    assert "not installed: slurmctld-nowhere; sh tools/install_slurm.sh" in told


def test_nothing_is_added_to_the_folder_of_a_run(trace, tmp_path, run, refused):
    words = ["simulate", "--trace", trace, "--cluster", "2x2", "--scheduler", "fifo", "--quiet", "--out"]
    assert run(*words, tmp_path / "run")[0] == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    told = refused("replay", trace, "--slurm", "--force", "--cluster", "2x2", "--out", tmp_path / "run")
    assert "is the folder of a run, to which nothing is added; name another folder" in told
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
