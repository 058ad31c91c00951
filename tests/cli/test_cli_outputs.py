"""What the outputs of commands may replace: runs of ours, and nothing else unless `--force` says so."""

import os

import pytest

from rarlib.cli.main import main
from rarlib.model.errors import InputError
from rarlib.records.outputs import check_outputs, write_new_folder
from rarlib.records.sample import sample_run

TRACE = "submit_s,gpus,duration_s\n0,2,5\n1,1,2\n"
RUN = ["allocations.csv", "details.csv", "jobs.csv", "run.json"]


def run(*arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main([str(argument) for argument in arguments])
    return end.value.code, capsys.readouterr()


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture
def trace(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "mine.csv").write_text(TRACE)
    return tmp_path / "in" / "mine.csv"


def simulate(trace, out, *more, capsys):
    words = ("simulate", "--trace", trace, "--cluster", "1x2", "--scheduler", "fifo", "--out", out, "--quiet")
    return run(*words, *more, capsys=capsys)


@pytest.mark.parametrize("more", [(), ("--force",)])
@pytest.mark.parametrize("link", [None, os.symlink, os.link])
def test_a_run_never_replaces_its_trace(trace, tmp_path, more, link, capsys):
    """Not even with --force, and not through another name of the same file."""
    out = tmp_path / "d"
    out.mkdir()
    (trace.rename if link is None else lambda to: link(trace, to))(out / "jobs.csv")
    code, told = simulate(out / "jobs.csv" if link is None else trace, out, *more, capsys=capsys)
    assert (code, told.err.count("\n")) == (2, 1)
    assert "jobs.csv: is an input of this command" in told.err
    assert contents(out) == {"jobs.csv": TRACE.encode()}


def test_a_file_of_somebody_else_stays_unless_forced(trace, tmp_path, capsys):
    out = tmp_path / "d"
    out.mkdir()
    (out / "jobs.csv").write_text("a list of vacancies\n")
    (out / "other.txt").write_text("kept")
    code, told = simulate(trace, out, capsys=capsys)
    assert code == 2
    assert "no run of ours" in told.err and "--force" in told.err
    assert sorted(contents(out)) == ["jobs.csv", "other.txt"]
    assert simulate(trace, out, "--force", capsys=capsys)[0] == 0
    assert sorted(contents(out)) == sorted([*RUN, "other.txt"])


def test_a_run_of_ours_is_replaced_and_files_are_added_beside_others(trace, tmp_path, capsys):
    """Running a command twice is no accident."""
    for _ in range(2):
        assert simulate(trace, trace.parent, capsys=capsys)[0] == 0
        assert run("why", trace.parent, "--out", trace.parent / "waiting.csv", capsys=capsys)[0] == 0
    assert trace.read_text() == TRACE


@pytest.mark.parametrize("name", RUN)
def test_exports_do_not_destroy_the_run_they_read(tmp_path, name, capsys):
    folder = sample_run(tmp_path / "run", "fifo")
    before = contents(folder)
    for words in (("export", folder, "--to", "swf"), ("why", folder)):
        for more in ((), ("--force",)):
            code, told = run(*words, "--out", folder / name, *more, capsys=capsys)
            assert code == 2
            assert f"{name}: is an input of this command" in told.err
    assert contents(folder) == before


def test_exports_do_not_destroy_another_run_or_a_foreign_file(tmp_path, capsys):
    folder, other = (sample_run(tmp_path / name, "fifo") for name in ("run", "other"))
    code, told = run("export", folder, "--to", "swf", "--out", other / "run.json", capsys=capsys)
    assert (code, "belongs to the run in its folder" in told.err) == (2, True)
    (tmp_path / "letter.swf").write_text("Dear")
    assert run("export", folder, "--to", "swf", "--out", tmp_path / "letter.swf", capsys=capsys)[0] == 2
    picture = ("why", folder, "--job", "1", "--picture", tmp_path / "letter")
    (tmp_path / "letter.png").write_text("a photograph")
    assert run(*picture, capsys=capsys)[0] == 2
    assert not (tmp_path / "letter.svg").exists()
    assert run(*picture, "--force", capsys=capsys)[0] == 0


def test_only_regular_files_are_replaced(tmp_path):
    """Renaming a file onto /dev/null would take the device away from everybody."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for path in (tmp_path / "pipe", tmp_path / "dangling", tmp_path):
        with pytest.raises(InputError, match=r"is not a regular file|is a folder"):
            check_outputs([path], force=True)


def test_the_metrics_of_several_runs_belong_to_them(tmp_path):
    """They lie beside the folders of runs: they are ours once the runs are."""
    metrics, runs = tmp_path / "metrics.csv", [tmp_path / "a", tmp_path / "b"]
    metrics.write_text("metric,trace,value,unit\n")
    with pytest.raises(InputError, match="no run of ours"):
        check_outputs([metrics], runs=runs)
    sample_run(runs[0], "fifo")
    check_outputs([metrics], runs=runs)


def test_a_trace_without_a_name_names_no_folder(trace, tmp_path, capsys):
    """Two traces, one of them `..`: its run would lie outside of --out."""
    words = ("simulate", "--cluster", "1x2", "--scheduler", "fifo", "--out", tmp_path / "out" / "here")
    code, told = run(*words, "--trace", trace, "--trace", "..", capsys=capsys)
    assert (code, "gives no name to a folder" in told.err) == (2, True)
    assert not (tmp_path / "out").exists()


def test_sample_runs_of_notebooks_follow_the_rule(tmp_path):
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(InputError, match="no run of ours"):
        sample_run(tmp_path, "fifo")


@pytest.mark.parametrize("below", ["mine.csv/measured.csv", "mine.csv/deep/down.csv"])
def test_nothing_is_written_below_a_file(below, trace):
    with pytest.raises(InputError, match="cannot write there: it is not a folder") as refused:
        check_outputs([trace.parent / below])
    assert str(trace) in str(refused.value)


def test_what_an_input_names_is_an_input(trace, tmp_path, capsys):
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
        ("trace", "convert", trace, "--cluster", cluster, "--to", "swf", "--out", cluster),
        ("trace", "resample", trace, "--load", "0.5", "--cluster", cluster, "--out", cluster),
        ("trace", "generate", laws, "--out", cluster),
        ("fabric", cases, "--grade", "law", "--out", table),
    ]
    for words in calls:
        code, told = run(*words, "--force", capsys=capsys)
        assert (code, "is an input of this command" in told.err) == (2, True), words
    words = ("simulate", "--trace", trace, "--cluster", "2x2", "--scheduler", "fifo", "--network", network)
    code, told = run(*words, "--out", tmp_path, "--force", capsys=capsys)
    assert (code, "jobs.csv: is an input of this command" in told.err) == (2, True)
    assert contents(tmp_path) == before


def test_a_new_folder_that_cannot_be_finished_is_not_left(tmp_path):
    """Or the same command, once there is space again, would refuse the folder that it left."""
    files = {"a.txt": "a", "b/c.txt": "c", "a.txt/d.txt": "below a file"}
    with pytest.raises(InputError, match="cannot write there"):
        write_new_folder(tmp_path / "new", files)
    assert list(tmp_path.iterdir()) == []
    assert len(write_new_folder(tmp_path / "new", {"b/c.txt": "c"})) == 1
