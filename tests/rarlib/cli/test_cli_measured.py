"""`rarlib measured`: says what was scored and what was not, and writes nothing that it did not score."""

import pytest

from rarlib.cli.main import main


def told(capsys, *words):
    with pytest.raises(SystemExit) as end:
        main(["measured", *words])
    printed = capsys.readouterr()
    return end.value.code, printed.out, printed.err


def test_without_the_files_it_says_so(offline, capsys):
    code, out, _ = told(capsys, "--goal", "G4")
    assert code == 0
    assert "G4  Seconds of a training step by placement: does not hold" in out
    assert "Not scored here: the measured files are not at hand" in out
    assert "G1" not in out


def test_accepted_scores_are_not_written_as_new_ones(offline, capsys, tmp_path):
    code, _, err = told(capsys, "--out", str(tmp_path / "new"))
    assert code == 2
    assert "nothing was scored here; name a folder with the measured files in RARLIB_MIRROR" in err
    assert not (tmp_path / "new").exists()


def test_an_unknown_goal_is_named(offline, capsys):
    code, _, err = told(capsys, "--goal", "G99")
    assert code == 2
    assert "no such goal; known: G1, G4, G6" in err
