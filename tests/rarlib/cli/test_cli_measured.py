"""`rarlib measured`: says what was scored and what was not, and writes nothing that it did not score."""


def test_without_the_files_it_says_so(offline, run):
    code, told = run("measured", "--goal", "G4")
    assert code == 0
    assert "G4  Seconds of a training step by placement: does not hold" in told.out
    assert "Not scored here: the measured files are not at hand" in told.out
    assert "G1" not in told.out


def test_accepted_scores_are_not_written_as_new_ones(offline, refused, tmp_path):
    said = refused("measured", "--out", tmp_path / "new")
    assert "nothing was scored here; name a folder with the measured files in RARLIB_MIRROR" in said
    assert not (tmp_path / "new").exists()


def test_an_unknown_goal_is_named(offline, refused):
    assert "no such goal; known: G1, G4, G6" in refused("measured", "--goal", "G99")
