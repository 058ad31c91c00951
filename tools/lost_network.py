"""A server on this machine that vanishes, for `tools.faults`: it refuses, falls silent, or breaks off in the middle."""

import csv
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

WAYS = ("refuses", "never answers", "breaks off", "falls silent in the middle")
_BEGUN = b"jobid,"
"""What arrives of a file before the server vanishes."""


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"

    def do_HEAD(self) -> None:
        self.send_error(404)

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "3444496")
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(_BEGUN)
            self.wfile.flush()
        if self.server.way == "falls silent in the middle":
            self.server.gone.wait()

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads, block_on_close = True, False

    def __init__(self, way: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.way, self.gone = way, threading.Event()


@contextmanager
def vanishing_server(way: str) -> Iterator[tuple[str, Callable[[], None]]]:
    """An address, and a function after which nothing answers there."""
    if way in ("refuses", "never answers"):
        listener = socket.create_server(("127.0.0.1", 0))
        if way == "refuses":
            listener.close()
            yield "http://127.0.0.1:9", lambda: None  # the port of `discard`, which nobody serves
            return
        with listener:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", listener.close
        return
    with _Server(way) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

        def vanish() -> None:
            server.gone.set()
            server.shutdown()
            server.server_close()

        yield f"http://127.0.0.1:{server.server_port}", vanish


def sources_at(path: Path, address: str) -> None:
    """Let every source of a list be served from one address."""
    with path.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file, delimiter="\t"))
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, list(found[0]), delimiter="\t", lineterminator="\n")
        rows.writeheader()
        rows.writerows(row | {"url": f"{address}/{row['file']}"} for row in found)
