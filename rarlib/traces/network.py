"""Whether the hosts of the sources can be reached: all are asked once per process, in parallel, with one deadline."""

import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

PROBE_S = 6.0
"""Longest wait for all answers together; name lookups may hang, so threads are simply left behind."""


def reachable(url: str, urls: Iterable[str]) -> bool:
    """Whether the host of `url` answered when the hosts of all `urls` were asked."""
    return _site(url) in _answering(frozenset(map(_site, urls)) | {_site(url)})


def _site(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"


@lru_cache(maxsize=8)
def _answering(sites: frozenset[str]) -> frozenset[str]:
    heard: set[str] = set()
    threads = [threading.Thread(target=_ask, args=(site, heard), daemon=True) for site in sorted(sites)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + PROBE_S
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return frozenset(heard)


def _ask(site: str, heard: set[str]) -> None:
    request = urllib.request.Request(site, method="HEAD")
    try:
        urllib.request.urlopen(request, timeout=PROBE_S).close()
    except urllib.error.HTTPError:
        heard.add(site)  # it answered, even if with an error
    except (OSError, ValueError):
        return
    heard.add(site)
