"""The first address of a source is dead, slow or wrong, each in its own way; the next one gives the file."""

import io
import logging
import re
import socket
import tarfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from rarlib.model.errors import InputError
from rarlib.traces import network, transfer
from rarlib.traces.download import NowhereError, download
from rarlib.traces.load import load_trace
from rarlib.traces.resolve import obtain
from rarlib.traces.sources import Source, read_sources
from tests.rarlib.traces.server import BODY, Server

Write = Callable[[Iterable[Source]], Path]
Make = Callable[..., Source]
Serve = Callable[[], Server]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "TIMEOUT_S", 0.5)
    monkeypatch.setattr(transfer, "PATIENCE_S", 0.5)
    monkeypatch.setattr(network, "PROBE_S", 0.5)


@pytest.fixture
def refused() -> Iterator[str]:
    """An address of this machine at which nobody listens, reserved while the test runs."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{reserved.getsockname()[1]}/toy.csv"


SPOILT: dict[str, tuple[dict[str, Any], str]] = {
    "gone": ({"status": 404}, "answered 404 Not Found"),
    "failing": ({"status": 503}, "answered 503 Service Unavailable"),
    "silent": ({"silent": True}, "no answer within 0.5 s|timed out"),
    "dripping": ({"drips_s": 0.01}, r"download too slow: [\d,]+ bytes in \d+ s; run again to resume"),
    "truncated": ({"breaks_after": 1_000_000}, "broke off after 1,000,000 of 2,088,915 bytes"),
    "empty": ({"breaks_after": 0}, "broke off after 0 of 2,088,915 bytes"),
    "shorter than sent": ({"length": str(len(BODY) - 1)}, "wrong checksum"),
    "wrong": ({"body": BODY.replace(b"199999,1,5", b"199999,1,6")}, "wrong checksum"),
    "a page instead": ({"body": b"<html>Are you a robot?</html>"}, "wrong checksum"),
    "larger": ({"body": BODY * 2}, "sends more than 2,088,915 bytes"),
    "sent to a file": ({"redirect": "file:///etc/hostname"}, "file:.*not allowed|unknown url type|only http and https"),
    "sent in a circle": ({"redirect": "/toy.csv"}, "redirect error that would lead to an infinite loop"),
}
"""What a server does wrong, and what is said of it."""


def _spoilt(serve: Serve, how: str) -> Server:
    server = serve()
    for name, value in SPOILT[how][0].items():
        setattr(server, name, value)
    return server


@pytest.mark.parametrize("how", SPOILT)
def test_the_second_address_gives_the_file(
    serve: Serve, write_list: Write, make_source: Make, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    # Each way in which a link has died; a reader in ten years finds several at once.
    first, second = _spoilt(serve, how), serve()
    source = make_source(BODY, url=first.url, also=second.url, standin="philly-pollux")
    home = write_list([source])
    start = time.monotonic()
    with caplog.at_level(logging.WARNING, "rarlib"):
        trace = load_trace("toy")
    assert time.monotonic() - start < 20
    assert (len(trace.jobs), trace.origin, trace.provenance["standin"]) == (200_000, "download", False)
    assert sorted(path.name for path in (home / "raw" / "toy").iterdir()) == [".toy.csv.lock", "toy.csv"]
    failed, taken = caplog.messages
    assert re.search(SPOILT[how][1], failed), failed
    assert failed.startswith("toy: ") and "\n" not in failed
    assert taken == f"toy: taken from {second.url}, with the right checksum"


def test_without_a_stand_in_each_address_is_named(
    server: Server, write_list: Write, make_source: Make, refused: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.status = 404
    write_list([make_source(BODY, url=refused, also=server.url)])
    with pytest.raises(InputError, match="toy: not at hand, and none of its addresses gives it; it has no stand-in"):
        load_trace("toy")
    assert caplog.messages == [
        f"toy: {refused}: its host cannot be reached",
        f"toy: {server.url} answered 404 Not Found",
    ]


def test_a_broken_transfer_is_kept_while_other_addresses_are_tried(
    serve: Serve, write_list: Write, make_source: Make
) -> None:
    # The second address sends something else: it must not be appended to what the first has sent.
    first, second = serve(), serve()
    first.breaks_after, second.body = 1_000_000, BODY[::-1]
    source = make_source(BODY, url=first.url, also=second.url, standin="philly-pollux")
    home = write_list([source])
    with pytest.raises(InputError, match=r"broke off after 1,000,000 of 2,088,915 bytes; run again to resume"):
        load_trace("toy")
    first.breaks_after = None
    assert obtain(source).origin == "download"
    assert first.asked[-1] == ("GET", "bytes=1000000-")
    assert (home / "raw" / "toy" / "toy.csv").read_bytes() == BODY


def test_a_redirect_to_another_host_is_followed(serve: Serve, tmp_path: Path, make_source: Make) -> None:
    # Hosts of data sets answer with the address of a store.
    first, store = serve(), serve()
    first.redirect = store.url
    assert download(make_source(BODY, url=first.url), tmp_path / "toy.csv", progress=False).read_bytes() == BODY
    assert [kind for kind, _ in store.asked] == ["GET"]


def test_a_head_that_is_sent_byte_by_byte_ends(tmp_path: Path, make_source: Make) -> None:
    # A socket's timeout starts anew with each byte; only a clock outside ends this.
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/toy.csv"
        ended = threading.Event()
        threading.Thread(target=_speak_slowly, args=(listening, ended), daemon=True).start()
        start = time.monotonic()
        with pytest.raises(NowhereError, match=r"no answer within 0.5 s"):
            download(make_source(BODY, url=url), tmp_path / "toy.csv", progress=False)
        assert time.monotonic() - start < 5
        ended.set()


def _speak_slowly(listening: socket.socket, ended: threading.Event) -> None:
    connection, _ = listening.accept()
    with connection, suppress(ConnectionError):
        for byte in b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000:
            connection.sendall(bytes([byte]))
            if ended.wait(0.05):
                return


def _snapshot(*members: tuple[str, bytes], cut: int | None = None) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=1) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()[:cut]


def test_a_member_of_an_archive(serve: Serve, write_list: Write, make_source: Make, refused: str) -> None:
    # Snapshots of data sets are single archives of gigabytes.
    server = serve()
    server.body = _snapshot(("snap/other.csv", b"x" * 10**6), ("snap/not-toy.csv", b"y"), ("snap/toy/toy.csv", BODY))
    home = write_list([make_source(BODY, url=refused, also=f"{server.url}#toy/toy.csv")])
    assert obtain(read_sources()["toy"][0]).origin == "download"
    assert (home / "raw" / "toy" / "toy.csv").read_bytes() == BODY


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (_snapshot(("snap/other.csv", b"x")), "the archive has no such member"),
        (_snapshot(("snap/toy.csv", BODY), cut=100_000), "truncated or damaged archive"),
        (b"<html></html>", "truncated or damaged archive"),
        (b"", "answered 416"),
        (_snapshot(("snap/toy.csv", BODY[:-1])), "wrong checksum"),
        (_snapshot(("snap/toy.csv", BODY * 2)), "sends more than 2,088,915 bytes"),
    ],
    ids=["no-member", "truncated", "a-page", "empty", "wrong", "too-large"],
)
def test_archives_that_do_not_have_it(
    server: Server, write_list: Write, make_source: Make, refused: str, body: bytes, why: str
) -> None:
    server.body = body
    home = write_list([make_source(BODY, url=refused, also=f"{server.url}#toy.csv")])
    found = obtain(read_sources()["toy"][0])
    assert found.path is None
    assert why in found.tried[1]
    assert [path.name for path in (home / "raw" / "toy").iterdir()] == [".toy.csv.lock"]
