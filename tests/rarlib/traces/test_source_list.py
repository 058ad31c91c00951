from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from rarlib.model.errors import InputError
from rarlib.traces.load import FORMATS, load_trace
from rarlib.traces.profile import profile_path, read_profile
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import Source, read_sources

ROWS = [source for files in read_sources().values() for source in files]


@pytest.mark.parametrize("source", ROWS, ids=lambda s: f"{s.name}-{Path(s.file).name}")
def test_every_row_can_be_used(source: Source) -> None:
    # A typo in the list would show only on the machine that needs that row.
    assert source.format in ("", *FORMATS)
    assert {urlsplit(address).scheme for address in source.addresses} == {"https"}
    assert len({urlsplit(address).netloc for address in source.addresses}) > 1  # one host that ends is not the end
    assert source.licence
    assert source.citation
    if source.standin:
        assert read_profile(profile_path(source.standin)).jobs > 0


def test_no_two_files_share_a_place() -> None:
    # One download would overwrite the other.
    places: dict[str, str] = {}
    for source in ROWS:
        assert places.setdefault(source.file, source.digest) == source.digest


def test_addresses_that_hold_a_checksum_hold_that_of_the_row() -> None:
    for source in ROWS:
        for address in source.addresses:
            if "softwareheritage" in address:
                assert address.split("/")[-3] == source.digest.replace("git:", "sha1_git:")


@pytest.mark.real
def test_files_of_the_mirror_match_the_list() -> None:
    # Digests and sizes were copied by hand; against real files a slip shows.
    if at_hand(read_sources()["philly-pollux"][0]) is None:
        pytest.skip("no mirror at hand; set RARLIB_MIRROR")
    found = [source for source in ROWS if at_hand(source)]
    assert len(found) >= 90
    for source in found:
        hit = at_hand(source)
        assert hit is not None
        assert hit.path is not None
        assert source.bytes == hit.path.stat().st_size


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"digest": "sha256:abc"}, "row 2, field digest"),
        ({"digest": "md5:" + "0" * 32}, "row 2, field digest"),
        ({"file": "../evil"}, "row 2, field file: must stay below"),
        ({"file": "/etc/passwd"}, "row 2, field file: must stay below"),
        ({"digest": "sha256:" + "x" * 64}, "row 2, field digest"),
        ({"name": "n" * 10**6}, "row 2: field larger than|not a table"),
    ],
)
def test_bad_rows_are_named(
    write_list: Callable, make_source: Callable, changes: dict[str, str], complaint: str
) -> None:
    write_list([make_source(b"x", **changes)])
    with pytest.raises(InputError, match=f"sources.tsv, {complaint}"):
        read_sources()


def test_a_source_without_a_reader(write_list: Callable, make_source: Callable) -> None:
    # A format that only a newer version reads.
    write_list([make_source(b"x", format="slurm")])
    with pytest.raises(InputError, match="toy: no reader for this source, format 'slurm'"):
        load_trace("toy")
