"""The process from which policies are forked: it has loaded what they may use, and knows nothing of jobs.

`rarlib.evaluation.processes` starts it as `python -m rarlib.evaluation.forking DESCRIPTOR`. Each request on that socket
comes with a connection for a new policy, or names a policy to be ended. Policies end with this process, and this
process ends when the other side of the socket closes.
"""

import sys

# Policies run without the compiler: same results, a tenth of the start, and nothing to be loaded later.
sys.modules["numba"] = None  # type: ignore[assignment]

import bisect  # noqa: E402, F401 - loaded for policies, as the modules below
import collections  # noqa: E402, F401
import copy  # noqa: E402, F401
import functools  # noqa: E402, F401
import heapq  # noqa: E402, F401
import itertools  # noqa: E402, F401
import math  # noqa: E402, F401
import os  # noqa: E402
import random  # noqa: E402, F401
import resource  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import statistics  # noqa: E402, F401
import time  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

import rarlib  # noqa: E402
import rarlib.schedulers.shared.ordering  # noqa: E402
from rarlib.evaluation.answering import answer_all  # noqa: E402
from rarlib.evaluation.messages import packed, parsed, send  # noqa: E402
from rarlib.evaluation.seccomp import confine, die_with_parent  # noqa: E402

_PUBLIC = ("Allocation", "DecisionError", "InputError", "Job", "Running", "Start", "Stop", "View", "Wake")
_POLL_S = 0.002


def main(descriptor: int) -> None:
    """Fork and end policies as requested.

    Args:
        descriptor: the socket of requests.
    """
    np.random.default_rng(0).random()
    for name in _PUBLIC:
        getattr(rarlib, name, None)  # names of `rarlib` are found in a file when they are first used
    requests, policies = socket.socket(fileno=descriptor), set()
    send(descriptor, packed({"ready": True}))
    while True:
        given, connections, _, _ = socket.recv_fds(requests, 4096, 1)
        if not given:
            break
        request = parsed(given)
        if connections:
            pid = os.fork()
            if pid == 0:
                _become_policy(connections[0], request)
            os.close(connections[0])
            policies.add(pid)
            send(descriptor, packed({"pid": pid}))
        else:
            pid = request["end"]
            policies.discard(pid)
            send(descriptor, packed(_ended(pid, request["grace_s"])))
    for pid in policies:
        _ended(pid, 0.0)


def _ended(pid: int, grace_s: float) -> dict[str, Any]:
    """End a policy unless it ends within a time: status, seconds of a processor that it took, and whether we did."""
    until = time.monotonic() + grace_s
    while not (found := os.wait4(pid, os.WNOHANG))[0] and time.monotonic() < until:
        time.sleep(_POLL_S)
    if by_us := not found[0]:
        os.kill(pid, signal.SIGKILL)
        found = os.wait4(pid, 0)
    _, status, used = found
    return {"status": os.waitstatus_to_exitcode(status), "seconds": used.ru_utime + used.ru_stime, "by_us": by_us}


def _become_policy(connection: int, request: dict[str, Any]) -> None:
    """Close everything but the connection, accept the limits, and answer."""
    die_with_parent()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.dup2(connection, 3)
    os.closerange(4, 65536)
    try:
        _limit(request)
        if request["confined"]:
            confine()
        answer_all(3)
    finally:
        os._exit(0)


def _limit(request: dict[str, Any]) -> None:
    limits = {"CPU": request["cpu_s"], "AS": _address_space() + request["memory_bytes"], "FSIZE": 0, "CORE": 0}
    if request["confined"]:
        limits["NOFILE"] = 0
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))


def _address_space() -> int:
    """Bytes of address space that this process has already."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except OSError:  # another system than Linux
        return 2**32


if __name__ == "__main__":
    main(int(sys.argv[1]))
