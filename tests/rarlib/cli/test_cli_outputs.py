"""What the outputs of commands may replace: runs of ours, and nothing else unless `--force` says so."""

import os

import pytest

from rarlib.model.errors import InputError
from rarlib.records.outputs import check_outputs
from rarlib.records.sample import sample_run

TRACE = "submit_s,gpus,duration_s\n0,2,5\n1,1,2\n"
RUN = ["allocations.csv", "details.csv", "jobs.csv", "run.json"]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture
def trace(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "mine.csv").write_text(TRACE)
    return tmp_path / "in" / "mine.csv"


def simulate(trace, out, *more):
    return "simulate", "--trace", trace, "--cluster", "1x2", "--scheduler", "fifo", "--out", out, "--quiet", *more


@pytest.mark.parametrize("more", [(), ("--force",)])
@pytest.mark.parametrize("link", [None, os.symlink, os.link])
def test_a_run_never_replaces_its_trace(trace, tmp_path, more, link, refused):
    """Not even with --force, and not through another name of the same file."""
    out = tmp_path / "d"
    out.mkdir()
    (trace.rename if link is None else lambda to: link(trace, to))(out / "jobs.csv")
    said = refused(*simulate(out / "jobs.csv" if link is None else trace, out, *more))
    assert "jobs.csv: is an input of this command" in said
    assert contents(out) == {"jobs.csv": TRACE.encode()}


def test_a_file_of_somebody_else_stays_unless_forced(trace, tmp_path, run, refused):
    out = tmp_path / "d"
    out.mkdir()
    (out / "jobs.csv").write_text("a list of vacancies\n")
    (out / "other.txt").write_text("kept")
    said = refused(*simulate(trace, out))
    assert "no run of ours" in said and "--force" in said
    assert sorted(contents(out)) == ["jobs.csv", "other.txt"]
    assert run(*simulate(trace, out, "--force"))[0] == 0
    assert sorted(contents(out)) == sorted([*RUN, "other.txt"])


def test_a_run_of_ours_is_replaced_and_files_are_added_beside_others(trace, tmp_path, run):
    for _ in range(2):
        assert run(*simulate(trace, trace.parent))[0] == 0
        assert run("why", trace.parent, "--out", trace.parent / "waiting.csv")[0] == 0
    assert trace.read_text() == TRACE


@pytest.mark.parametrize("name", RUN)
def test_exports_do_not_destroy_the_run_they_read(tmp_path, name, refused):
    folder = sample_run(tmp_path / "run", "fifo")
    before = contents(folder)
    for words in (("export", folder), ("why", folder)):
        for more in ((), ("--force",)):
            assert f"{name}: is an input of this command" in refused(*words, "--out", folder / name, *more)
    assert contents(folder) == before


def test_only_regular_files_are_replaced(tmp_path):
    """Renaming a file onto /dev/null would take the device away from everybody."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for path in (tmp_path / "pipe", tmp_path / "dangling", tmp_path):
        with pytest.raises(InputError, match=r"is not a regular file|is a folder"):
            check_outputs([path], force=True)


def test_what_an_input_names_is_an_input(trace, tmp_path, refused):
    """A cluster beside a trace, the cluster of laws, the table of servers of a fabric: not even --force replaces it."""
    cluster, laws, network, cases, table = (
        tmp_path / name for name in ("c.yaml", "w.yaml", "n.json", "i.jsonl", "jobs.csv")
    )
    cluster.write_text("nodes: [{count: 2, gpus: 2}]\n")
    law = "{law: weibull, scale_s: 600, shape: 0.7}"
    laws.write_text(f"sizes: {{1: 1}}\ndurations: {{1: {law}}}\nload: {{target: 0.5, cluster: {cluster}}}\n")
    shape = '{"shape": "file", "path": "jobs.csv", "nic_gbps": 10, "uplinks_gbps": {"rack": 5}}'
    network.write_text(shape)
    job = '{"id": "j", "compute_s": 1, "iterations": 2, "servers": [0, 1], "bytes": 1e6}'
    cases.write_text(f'{{"id": "a", "fabric": {shape}, "jobs": [{job}]}}\n')
    table.write_text("server,root,rack\nh0,x,p\nh1,x,q\n")
    before = contents(tmp_path)
    calls = [
        ("trace", "convert", trace, "--out", trace),
        ("trace", "generate", laws, "--out", cluster),
        ("fabric", cases, "--grade", "law", "--out", table),
    ]
    for words in calls:
        assert "is an input of this command" in refused(*words, "--force"), words
    words = ("simulate", "--trace", trace, "--cluster", "2x2", "--scheduler", "fifo", "--network", network)
    assert "jobs.csv: is an input of this command" in refused(*words, "--out", tmp_path, "--force")
    assert contents(tmp_path) == before
