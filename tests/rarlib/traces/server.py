"""A small server on this machine that can serve ranges, break off, lie, send slowly and say nothing."""

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY = b"submit_s,gpus,duration_s\n" + b"".join(b"%d,1,5\n" % i for i in range(200_000))


class Server(ThreadingHTTPServer):
    body, breaks_after, ranges, status, length, redirect = BODY, None, True, 200, "", ""
    silent, drips_s = False, 0.0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ended = threading.Event()
        self.asked: list[tuple[str, str | None]] = []
        self.url = f"http://127.0.0.1:{self.server_port}/toy.csv"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_HEAD(self) -> None:
        self.server.asked.append(("HEAD", None))
        self.send_error(404)

    def do_GET(self) -> None:
        if self.server.silent:
            self.server.ended.wait(30)
            return
        wanted = self.headers.get("Range") if self.server.ranges else None
        self.server.asked.append(("GET", wanted))
        first = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if self.server.status != 200 or first >= len(self.server.body):
            self.send_error(self.server.status if self.server.status != 200 else 416)
            return
        rest = self.server.body[first:]
        self.send_response(302 if self.server.redirect else 206 if wanted else 200)
        self.send_header("Content-Length", self.server.length or str(len(rest)))
        if self.server.redirect:
            self.send_header("Location", self.server.redirect)
        self.end_headers()
        with suppress(ConnectionError):  # the other side may have heard enough
            if self.server.drips_s:
                self._drip(rest)
            else:
                self.wfile.write(rest[: self.server.breaks_after])

    def _drip(self, rest: bytes) -> None:
        for byte in rest:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self.server.ended.wait(self.server.drips_s):
                return

    def log_message(self, *_: object) -> None:
        pass
