"""One address, against a small server on this machine that can serve ranges, break off, lie and hang."""

import socket
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.traces import network
from rarlib.traces.download import NowhereError, download
from rarlib.traces.load import load_trace
from rarlib.traces.resolve import obtain
from rarlib.traces.sources import Source
from tests.rarlib.traces.server import BODY, Server

Write = Callable[[Iterable[Source]], Path]
Make = Callable[..., Source]


def test_download_is_checked_and_put_in_place(server: Server, write_list: Write, make_source: Make) -> None:
    source = make_source(BODY, url=server.url)
    home = write_list([source])
    found = obtain(source)
    assert found[:2] == (home / "raw" / "toy" / "toy.csv", "download")
    assert found.path is not None
    assert found.path.read_bytes() == BODY
    assert sorted(p.name for p in (home / "raw" / "toy").iterdir()) == [".toy.csv.lock", "toy.csv"]
    assert len(load_trace("toy").jobs) == 200_000
    assert [kind for kind, _ in server.asked] == ["HEAD", "GET"]  # the second load took the raw file


def test_two_at_a_time_fetch_once(server: Server, tmp_path: Path, make_source: Make) -> None:
    # Two jobs of a pipeline that want the same file would otherwise write into one partial file.
    source, target = make_source(BODY, url=server.url), tmp_path / "toy.csv"
    with ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(lambda _: download(source, target, progress=False), range(4)))
    assert {path.read_bytes() for path in paths} == {BODY}
    assert [kind for kind, _ in server.asked] == ["GET"]


@pytest.mark.parametrize(("ranges", "begun"), [(False, BODY[:1000]), (True, BODY)], ids=["no ranges", "whole"])
def test_a_partial_file(server: Server, tmp_path: Path, make_source: Make, ranges: bool, begun: bytes) -> None:
    # A server without ranges sends all again: appended to the partial file, it would never match the checksum. Killed
    # between the last byte and the rename: the server answers 416 to the range, and that is no failure.
    target = tmp_path / "toy.csv"
    target.with_name("toy.csv.part").write_bytes(begun)
    server.ranges = ranges
    assert download(make_source(BODY, url=server.url), target, progress=False).read_bytes() == BODY


def test_hosts_that_hang_cost_one_deadline_in_all(
    write_list: Write, make_source: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without network, waiting once per file would take minutes before the first stand-in.
    monkeypatch.setattr(network, "PROBE_S", 0.4)
    silent = [socket.create_server(("127.0.0.1", 0)) for _ in range(6)]
    try:
        urls = [f"http://127.0.0.1:{s.getsockname()[1]}/toy.csv" for s in silent]
        sources = [make_source(BODY, name=f"toy{i}", url=url) for i, url in enumerate(urls)]
        write_list(sources)
        before = time.monotonic()
        origins = {obtain(source).origin for source in sources * 3}
        assert time.monotonic() - before < 1.5
    finally:
        for s in silent:
            s.close()
    assert origins == {"not at hand, and none of its addresses gives it"}


def test_folder_that_cannot_be_written_is_named(server: Server, tmp_path: Path, make_source: Make) -> None:
    (tmp_path / "raw").write_text("a file where a folder should be")
    with pytest.raises(InputError, match=r"raw/toy.csv: cannot be written: (File exists|Not a directory)"):
        download(make_source(BODY, url=server.url), tmp_path / "raw" / "toy.csv", progress=False)


@pytest.mark.parametrize("length", ["", "-5", "many", "5" * 5_000, "2088915", "99999999"])
def test_a_host_that_sends_without_end_is_stopped(
    server: Server, tmp_path: Path, make_source: Make, length: str
) -> None:
    # A host that was taken over could fill the disk; what it claims about the length must not matter.
    server.body, server.length = BODY * 3, length or str(3 * len(BODY))
    target = tmp_path / "toy.csv"
    with pytest.raises(InputError, match=r"sends more than 2,088,915 bytes|wrong checksum|broke off"):
        download(make_source(BODY * 2, url=server.url, bytes=len(BODY)), target, progress=False)
    assert sum(path.stat().st_size for path in tmp_path.glob("toy.csv*")) <= len(BODY)


def test_a_file_of_unknown_size_has_a_cap(
    server: Server, tmp_path: Path, make_source: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DOWNLOAD_BYTES", limits.DOWNLOAD_BYTES._replace(most=1_000_000))
    with pytest.raises(InputError, match="sends more than 1,000,000 bytes"):
        download(make_source(BODY, url=server.url, bytes=None), tmp_path / "toy.csv", progress=False)
    assert not list(tmp_path.glob("toy.csv*"))


@pytest.mark.parametrize("other", ["file:///etc/hostname", "ftp://127.0.0.1:9/toy.csv", "data:,x", "gopher://h/"])
def test_only_http_is_asked(server: Server, tmp_path: Path, make_source: Make, other: str) -> None:
    # A list of sources, or a redirect, that names a file of this machine.
    secret = tmp_path / "secret"
    secret.write_bytes(BODY)
    server.redirect = other
    for url in (server.url, other, secret.as_uri()):
        with pytest.raises(NowhereError):
            download(make_source(BODY, url=url), tmp_path / "toy.csv", progress=False)


def test_a_full_disk_is_named(
    server: Server, tmp_path: Path, make_source: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "toy.csv.part").symlink_to("/dev/full")
    with pytest.raises(InputError, match=r"toy.csv: cannot be written: No space left on device"):
        download(make_source(BODY, url=server.url), tmp_path / "toy.csv", progress=False)
