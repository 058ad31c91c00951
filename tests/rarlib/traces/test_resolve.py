import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from rarlib.model.errors import InputError
from rarlib.traces.resolve import at_hand, obtain
from rarlib.traces.sources import Source, listed_sources, read_sources

GOOD = b"submit_s,gpus,duration_s\n0,1,5\n"
Write = Callable[[Iterable[Source]], Path]
Make = Callable[..., Source]


def test_raw_file_comes_before_mirror(
    tmp_path: Path, write_list: Write, make_source: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = make_source(GOOD)
    home = write_list([source])
    mirror = tmp_path / "mirror" / "deep" / "er"
    mirror.mkdir(parents=True)
    (mirror / "toy.csv").write_bytes(GOOD)
    assert at_hand(source) is None
    monkeypatch.setenv("RARLIB_MIRROR", os.pathsep.join([str(tmp_path / "absent"), str(tmp_path / "mirror")]))
    found = at_hand(source)
    assert found is not None
    assert found[:2] == (mirror / "toy.csv", "mirror")
    (home / "raw" / "toy").mkdir(parents=True)
    (home / "raw" / "toy" / "toy.csv").write_bytes(GOOD)
    found = at_hand(source)
    assert found is not None
    assert found[:2] == (home / "raw" / "toy" / "toy.csv", "raw")


@pytest.mark.parametrize("damage", [GOOD[:-2], GOOD.replace(b"5", b"6"), b""])
def test_wrong_checksum_is_an_error_never_a_standin(
    tmp_path: Path, write_list: Write, make_source: Make, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    # Going on with a stand-in or another origin would hide that a user's file is damaged.
    source = make_source(GOOD, standin="philly-pollux")
    home = write_list([source])
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "toy.csv").write_bytes(damage)
    monkeypatch.setenv("RARLIB_MIRROR", str(mirror))
    monkeypatch.setenv("RARLIB_OFFLINE", "1")
    with pytest.raises(InputError, match=r"mirror/toy.csv: wrong checksum for toy: expected sha256:"):
        obtain(source)
    (home / "raw" / "toy").mkdir(parents=True)
    (home / "raw" / "toy" / "toy.csv").write_bytes(damage)
    with pytest.raises(InputError, match=r"raw/toy/toy.csv: wrong checksum: expected sha256:.*delete it"):
        obtain(source)


def test_a_copy_of_a_listed_file_under_the_name_of_another_is_no_culprit(
    tmp_path: Path, write_list: Write, make_source: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Sia's placements.csv has the content of its placements-aws.csv, and the name of one of Morphling's files.
    wanted = make_source(GOOD)
    home = write_list([make_source(GOOD + b"1,1,1\n", name="other", file="other/toy-aws.csv")])
    listed = (home / "sources.tsv").read_text()
    write_list([wanted])
    (home / "measured.tsv").write_text(listed)
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "toy.csv").write_bytes(GOOD + b"1,1,1\n")
    monkeypatch.setenv("RARLIB_MIRROR", str(tmp_path / "mirror"))
    assert at_hand(wanted) is None


@pytest.mark.real
def test_profiles_without_measured_data_are_no_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    # The folder of profiles that is at hand, and nothing else.
    found = at_hand(read_sources()["sia-profile-bert"][0])
    if found is None or found.path is None:
        pytest.skip("Sia's profiles are not at hand")
    monkeypatch.setenv("RARLIB_MIRROR", str(found.path.parent))
    assert not any(at_hand(each) for each in listed_sources()["measured-morphling"])


def test_network_can_be_switched_off(write_list: Write, make_source: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    source = make_source(GOOD)
    write_list([source])
    assert obtain(source, network=False).origin == "not at hand, and the network is switched off"
    monkeypatch.setenv("RARLIB_OFFLINE", "1")
    assert obtain(source).origin == "not at hand, and the network is switched off"
    monkeypatch.setenv("RARLIB_OFFLINE", "0")
    assert obtain(source)[1:] == (
        "not at hand, and none of its addresses gives it",
        (f"{source.url}: its host cannot be reached",),
    )


def test_a_mirror_with_pipes_and_links_in_loops(
    tmp_path: Path, write_list: Write, make_source: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A pipe of the right name would be waited for without end; a link to itself has no size.
    source = make_source(GOOD)
    write_list([source])
    for number, make in enumerate((lambda path: path.symlink_to(path), os.mkfifo, lambda path: path.write_bytes(GOOD))):
        folder = tmp_path / "mirror" / str(number)
        folder.mkdir(parents=True)
        make(folder / "toy.csv")
    (tmp_path / "mirror" / "loop").symlink_to(tmp_path / "mirror")
    monkeypatch.setenv(
        "RARLIB_MIRROR", os.pathsep.join(["~nobody-of-that-name", "m" * 5_000, str(tmp_path / "mirror")])
    )
    found = at_hand(source)
    assert found is not None
    assert found[:2] == (tmp_path / "mirror" / "2" / "toy.csv", "mirror")
