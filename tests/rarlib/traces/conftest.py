"""Fixtures for the data layer: real files through the data layer, or a data folder of the test's own."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from rarlib.traces import network
from rarlib.traces.digest import digest
from rarlib.traces.load import Trace, load_trace
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import Source, read_sources
from tests.rarlib.traces.server import Server


@pytest.fixture
def real() -> Callable[[str], Trace]:
    """Load a real trace by name, or skip when it is neither in data/raw nor in a mirror."""

    def load(name: str) -> Trace:
        if any(at_hand(source) is None for source in read_sources()[name]):
            pytest.skip(f"{name} is not at hand; set RARLIB_MIRROR or run: rarlib sources fetch {name}")
        return load_trace(name, network=False)

    return load


@pytest.fixture
def write_list(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Iterable[Source]], Path]:
    """Make a data folder whose list holds the given sources only; returns the folder."""

    def write(sources: Iterable[Source]) -> Path:
        home = tmp_path / "data"
        home.mkdir(exist_ok=True)
        rows = ["\t".join(str(v) if v not in ("", None) else "-" for v in source) for source in sources]
        (home / "sources.tsv").write_text("\n".join(["\t".join(Source._fields), *rows]) + "\n")
        monkeypatch.setenv("RARLIB_DATA", str(home))
        monkeypatch.delenv("RARLIB_MIRROR", raising=False)
        monkeypatch.delenv("RARLIB_OFFLINE", raising=False)
        monkeypatch.setenv("no_proxy", "*")
        return home

    return write


@pytest.fixture
def make_source(tmp_path: Path) -> Callable[..., Source]:
    """A source whose checksum is that of the given content."""

    def make(content: bytes, name: str = "toy", url: str = "http://127.0.0.1:9/toy.csv", **changes: object) -> Source:
        path = tmp_path / "content-for-digest"
        path.write_bytes(content)
        source = Source(
            name, "rarlib", None, "", len(content), "MIT", "nobody", "toy/toy.csv", "", digest(path, "sha256"), url
        )
        return source._replace(**changes)

    return make


@pytest.fixture
def serve() -> Iterator[Callable[[], Server]]:
    """Start servers, each with an address of its own, that have not been asked in this process."""
    network._answering.cache_clear()
    with ExitStack() as stack:

        def start() -> Server:
            running = Server()
            stack.callback(running.server_close)
            stack.callback(running.shutdown)
            stack.callback(running.ended.set)
            threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
            return running

        yield start


@pytest.fixture
def server(serve: Callable[[], Server]) -> Server:
    """One such server."""
    return serve()
