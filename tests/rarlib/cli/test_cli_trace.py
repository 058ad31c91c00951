"""`rarlib trace`: what is printed, which files are written, and what is refused."""

import pandas as pd
import pytest
from PIL import Image

from rarlib.cli.main import main

OWN = "submit_s,gpus,duration_s,user\n0,1,3600,=cmd()\n3600,8,7200,b\n7200,1,60,b\n"


def run(capsys, *words):
    with pytest.raises(SystemExit) as end:
        main(["trace", *map(str, words)])
    return end.value.code, capsys.readouterr()


@pytest.fixture
def own(tmp_path):
    (tmp_path / "t.csv").write_text(OWN)
    return tmp_path / "t.csv"


def test_describe_prints_and_writes(own, tmp_path, capsys):
    out = tmp_path / "about"
    code, said = run(capsys, "describe", own, "--cluster", "1x8", "--out", out)
    assert (code, said.err) == (0, "")
    assert "offered load on 1x8" in said.out
    assert pd.read_csv(out / "sizes.csv")["jobs"].tolist() == [2, 1]
    assert "'=cmd()" in (out / "users.csv").read_text(), "a spreadsheet would run it"
    assert Image.open(out / "workload.png").size[0] > 500
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    assert run(capsys, "describe", own, "--cluster", "1x8", "--out", out)[0] == 0, "its own tables are replaced"
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert sorted(before) == sorted(
        ["facts.csv", "sizes.csv", "durations.csv", "arrivals.csv", "users.csv", "statuses.csv",
         "workload.svg", "workload.png"]
    )  # fmt: skip


def test_describe_leaves_files_of_others_alone(own, tmp_path, capsys):
    (tmp_path / "about").mkdir()
    (tmp_path / "about" / "sizes.csv").write_text("shoes\n")
    code, said = run(capsys, "describe", own, "--out", tmp_path / "about")
    assert code == 2
    assert "sizes.csv: exists" in said.err
    assert (tmp_path / "about" / "sizes.csv").read_text() == "shoes\n"


def test_a_bad_row_is_named(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("submit_s,gpus,duration_s\n0,1,5\n1,0,5\n")
    code, said = run(capsys, "describe", tmp_path / "t.csv")
    assert code == 2
    assert "t.csv, row 3, field gpus: must be at least 1" in said.err


def test_convert_there_and_back(own, tmp_path, capsys):
    log, back = tmp_path / "t.swf", tmp_path / "back.csv"
    code, said = run(capsys, "convert", own, "--to", "swf", "--out", log, "--cluster", "1x8")
    assert (code, said.err) == (0, "")
    assert "lost: ids (jobs are numbered)" in said.out
    assert "; MaxProcs: 8\n" in log.read_text()
    assert run(capsys, "convert", log, "--out", back)[0] == 0
    assert pd.read_csv(back)["submit_s"].tolist() == [0, 3600, 7200]
    assert pd.read_csv(back)["user"].tolist() == ["'=cmd()", "b", "b"]


def test_convert_never_replaces_its_input(own, capsys):
    code, said = run(capsys, "convert", own, "--out", own, "--force")
    assert code == 2
    assert "is an input of this command" in said.err


SPEC = "arrivals: {per_hour: 60}\nsizes: {1: 3, 8: 1}\ndurations: {1: {law: weibull, scale_s: 600, shape: 0.7}}\n"


def test_generated_jobs_are_marked_and_repeat(tmp_path, capsys):
    spec = tmp_path / "w.yaml"
    spec.write_text(SPEC)
    for name in ("one.csv", "two.csv"):
        code, said = run(capsys, "generate", spec, "--jobs", 50, "--seed", 3, "--out", tmp_path / name)
        assert (code, said.err) == (0, "")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert '"standin": true' in (tmp_path / "one.csv.json").read_text(), "nobody must take them for recorded jobs"
    code, said = run(capsys, "generate", spec, "--out", tmp_path / "one.csv")
    assert (code, "one.csv: exists" in said.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "--by: nothing to do"),
        (("--load", 0.5), "--load: --load and --cluster belong together"),
        (("--load", 0.5, "--cluster", "1x8", "--stretch", 2), "--load: --load and --cluster belong together"),
    ],
)
def test_resample_says_what_is_missing(own, tmp_path, capsys, words, complaint):
    code, said = run(capsys, "resample", own, "--out", tmp_path / "r.csv", *words)
    assert code == 2
    assert complaint in said.err
    assert not (tmp_path / "r.csv").exists()


def test_resample_at_a_load(own, tmp_path, capsys):
    out = tmp_path / "r.csv"
    assert run(capsys, "resample", own, "--load", 0.5, "--cluster", "1x8", "--out", out)[0] == 0
    # 1 x 3600 + 8 x 7200 + 1 x 60 GPU seconds over 8 GPUs at half load.
    assert pd.read_csv(out)["submit_s"].iloc[-1] == pytest.approx(61_260 / 8 / 0.5)
