"""Whether the hosts of the sources can be reached: all are asked once per process, in parallel, with one deadline."""

import http.client
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

_HANDLERS = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPRedirectHandler,
    urllib.request.HTTPDefaultErrorHandler,
    urllib.request.HTTPErrorProcessor,
    urllib.request.UnknownHandler,
)
PROBE_S = 6.0
"""Longest wait for all answers together; name lookups may hang, so threads are simply left behind."""


def open_url(request: urllib.request.Request, timeout_s: float) -> http.client.HTTPResponse:
    """The answer to a request over http or https; no other scheme is followed, not from a redirect either.

    Args:
        request: what is asked.
        timeout_s: longest wait for the head of the answer, all redirects included, and for each next part of its body.

    Raises:
        OSError, ValueError, http.client.HTTPException: there is none.
    """
    heard: list[http.client.HTTPResponse | Exception] = []
    thread = threading.Thread(target=lambda: heard.append(_answer(request, timeout_s)), daemon=True)
    # A socket's timeout starts anew with each byte, so an answer that comes byte by byte needs a clock outside.
    thread.start()
    thread.join(timeout_s)
    if not heard:
        raise TimeoutError(f"no answer within {timeout_s:g} s")
    if isinstance(heard[0], Exception):
        raise heard[0]
    return heard[0]


def _answer(request: urllib.request.Request, timeout_s: float) -> http.client.HTTPResponse | Exception:
    try:
        return _open(request, timeout_s)
    except (OSError, ValueError, http.client.HTTPException) as error:
        return error


def _open(request: urllib.request.Request, timeout_s: float) -> http.client.HTTPResponse:
    opener = urllib.request.OpenerDirector()
    for handler in _HANDLERS:
        opener.add_handler(handler())
    answer = opener.open(request, timeout=timeout_s)
    if answer is None:
        raise urllib.error.URLError("only http and https are used")
    return answer


def reachable(url: str, urls: Iterable[str]) -> bool:
    """Whether the host of `url` answered when the hosts of all `urls` were asked."""
    return _host_name(url) in _answering(frozenset(map(_host_name, urls)) | {_host_name(url)})


def _host_name(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"


@lru_cache(maxsize=8)
def _answering(hosts: frozenset[str]) -> frozenset[str]:
    heard: set[str] = set()
    threads = [threading.Thread(target=_ask, args=(host, heard), daemon=True) for host in sorted(hosts)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + PROBE_S
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return frozenset(heard)


def _ask(host: str, heard: set[str]) -> None:
    try:
        open_url(urllib.request.Request(host, method="HEAD"), PROBE_S).close()
    except urllib.error.HTTPError:
        heard.add(host)  # it answered, even if with an error
    except (OSError, ValueError, http.client.HTTPException):
        return
    heard.add(host)
