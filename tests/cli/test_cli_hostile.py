"""Whatever the options name, a command ends with one short line and exit code 2."""

import json

import pytest

from rarlib.cli.main import main

TRACE = "submit_s,gpus,duration_s\n0,1,5\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--trace", "n" * 5_000],
        ["--trace", "/dev/zero"],
        ["--trace", "."],
        ["--cluster", "100000000x1"],
        ["--cluster", "2x9223372036854775807"],
        ["--cluster", "n" * 5_000 + ".yaml"],
        ["--cluster", "/dev/zero.yaml"],
        ["--cluster", "x" * 100_000],
        ["--cluster", "\x1b[2J4x8"],
        ["--format", "x" * 100_000],
        ["--cost", "x" * 100_000],
        ["--contention", "gbps=0"],
        ["--contention", "x" * 100_000],
        ["--contention", "alpha=" + "9" * 5_000],
        ["--origin", "x" * 100_000],
        ["--preset", "x" * 100_000],
    ],
    ids=lambda words: f"{words[0]}={words[1][:24]!r}",
)
def test_one_line_and_exit_code_2(tmp_path, capsys, words):
    (tmp_path / "t.csv").write_text(TRACE)
    usual = ["--trace", str(tmp_path / "t.csv"), "--cluster", "1x1", "--scheduler", "fifo"]
    if words[0] == "--trace":
        usual = usual[2:]
    with pytest.raises(SystemExit) as end:
        main(["simulate", *usual, "--out", str(tmp_path / "out"), "--quiet", *words])
    said = capsys.readouterr().err.removesuffix("\n")
    assert end.value.code == 2
    assert said.startswith("error: ")
    assert said.isprintable()
    assert len(said) < 2_500
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "slip", [{"epochs": "x"}, {"batch": []}, {"types": 5}, {"log_noise_scale": [[1], [2, 3]]}, {"work": 10**400}]
)
def test_damaged_standin_of_profiles(offline, tmp_path, capsys, slip):
    """A slip in the file of fits is named."""
    path = offline / "standin" / "sia-profiles.json"
    data = json.loads(path.read_text())
    data["applications"]["cifar10"] |= slip
    path.write_text(json.dumps(data))
    (tmp_path / "t.csv").write_text(TRACE)
    words = ["--trace", str(tmp_path / "t.csv"), "--cluster", "t4:1x4", "--scheduler", "fifo", "--cost", "goodput"]
    with pytest.raises(SystemExit) as end:
        main(["simulate", *words, "--out", str(tmp_path / "out")])
    assert end.value.code == 2
    assert "sia-profiles.json, field cifar10" in capsys.readouterr().err.splitlines()[-1]
