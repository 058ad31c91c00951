"""`rarlib trace`: what is printed, which files are written, and what is refused."""

import pandas as pd
import pytest

OWN = "submit_s,gpus,duration_s,user\n0,1,3600,=cmd()\n3600,8,7200,b\n7200,1,60,b\n"


@pytest.fixture
def own(tmp_path):
    (tmp_path / "t.csv").write_text(OWN)
    return tmp_path / "t.csv"


def test_describe_prints_load_and_sizes(own, run):
    code, said = run("trace", "describe", own, "--cluster", "1x8")
    assert (code, said.err) == (0, "")
    assert "offered load on 1x8" in said.out
    assert "sizes, most jobs first" in said.out


def test_a_bad_row_is_named(tmp_path, refused):
    (tmp_path / "t.csv").write_text("submit_s,gpus,duration_s\n0,1,5\n1,0,5\n")
    assert "t.csv, row 3, field gpus: must be at least 1" in refused("trace", "describe", tmp_path / "t.csv")


def test_convert_keeps_the_jobs(own, tmp_path, run):
    assert run("trace", "convert", own, "--out", tmp_path / "copy.csv")[0] == 0
    copy = pd.read_csv(tmp_path / "copy.csv")
    assert copy["submit_s"].tolist() == [0, 3600, 7200]
    assert copy["user"].tolist() == ["'=cmd()", "b", "b"], "a spreadsheet would run it"


SPEC = "arrivals: {per_hour: 60}\nsizes: {1: 3, 8: 1}\ndurations: {1: {law: weibull, scale_s: 600, shape: 0.7}}\n"


def test_generated_jobs_are_marked_and_repeat(tmp_path, run, refused):
    spec = tmp_path / "w.yaml"
    spec.write_text(SPEC)
    for name in ("one.csv", "two.csv"):
        code, said = run("trace", "generate", spec, "--jobs", 50, "--seed", 3, "--out", tmp_path / name)
        assert (code, said.err) == (0, "")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert '"standin": true' in (tmp_path / "one.csv.json").read_text(), "nobody must take them for recorded jobs"
    assert "one.csv: exists" in refused("trace", "generate", spec, "--out", tmp_path / "one.csv")
