"""One process of a ring all-reduce: it computes (sleeps), exchanges with its neighbours, and says when."""

import ctypes
import os
import socket
import struct
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.sockets.link import ADDRESSES, DEVICE, port_of
from tools.sockets.plan import RANKS, SEND_S, VALUES, Trial, computing

CONGESTION = "cubic"
_BUFFER_BYTES = 8_000_000
_SO_SNDBUFFORCE, _SO_RCVBUFFORCE, _NEW_NETWORK = 32, 33, 0x40000000
_PATIENCE_S = 20
_CONNECT_S = 1.0
"""From the moment when all ranks listen to the first iteration."""


class Exchange(NamedTuple):
    """An exchange as one rank saw it, or a whole job; seconds of the machine's clock since boot.

    Attributes:
        due_s: when it should have begun.
        begin_s: when it began.
        end_s: when the last sum was there.
    """

    due_s: float
    begin_s: float
    end_s: float


def all_reduce(values: NDArray[np.float32], rank: int, before: socket.socket, after: socket.socket) -> None:
    """Replace values by their sums over the ranks of a ring, each of which sends 2 (w - 1)/w of them.

    Args:
        values: of this rank, shape (n,); changed in place.
        rank: its place in the ring of `RANKS`.
        before: from the rank before it.
        after: to the rank after it; takes all of a piece without waiting for a reader.
    """
    pieces = np.array_split(values, RANKS)
    for step in range(RANKS - 1):
        after.sendall(pieces[(rank - step) % RANKS].data)
        mine = pieces[(rank - step - 1) % RANKS]
        mine += _receive(before, np.empty_like(mine))
    for step in range(RANKS - 1):
        after.sendall(pieces[(rank + 1 - step) % RANKS].data)
        _receive(before, pieces[(rank - step) % RANKS])


def _receive(before: socket.socket, piece: NDArray[np.float32]) -> NDArray[np.float32]:
    view = piece.data.cast("B")
    while view:
        got = before.recv_into(view, len(view), socket.MSG_WAITALL)
        if not got:
            raise ConnectionError("the rank before has ended")
        view = view[got:]
    return piece


def due_times(trial: Trial, job: int, start_s: float) -> Iterator[float]:
    """With fixed phases, when the exchanges of a job begin."""
    number = 0
    while True:
        yield start_s + number * trial.period_s + job * trial.shift * SEND_S
        number += 1


def run_rank(trial: Trial, job: int, rank: int, server: str, parent: Connection) -> None:
    """Take part in a trial: send `ready`, receive the time of the start, send what happened, or an error as text."""
    try:
        parent.send(_run(trial, job, rank, server, parent))
    except Exception as error:  # the parent tells it
        parent.send(f"job {job}, rank {rank}: {type(error).__name__}: {error}")


def _run(trial: Trial, job: int, rank: int, server: str, parent: Connection) -> list[Exchange]:
    _enter(server)
    with _socket() as listener:
        listener.bind((ADDRESSES[side_of(rank)], port_of(job, rank)))
        listener.listen(1)
        parent.send("ready")
        start_s = parent.recv() + _CONNECT_S
        after, following = _socket(), (rank + 1) % RANKS
        after.connect((ADDRESSES[side_of(following)], port_of(job, following)))
        before, _ = listener.accept()
    with before, after:
        for end in (before, after):
            used = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
            if used != CONGESTION:
                raise RuntimeError(f"TCP uses {used} instead of {CONGESTION}")
        return _iterate(trial, job, rank, start_s, before, after)


def _iterate(
    trial: Trial, job: int, rank: int, start_s: float, before: socket.socket, after: socket.socket
) -> list[Exchange]:
    """Iterations until the ranks agree, by a value that they reduce with the others, that the time is over."""
    due, phases = due_times(trial, job, start_s), computing(trial.compute_s, trial.noise, trial.seed(job))
    end_s, found, values = start_s, [], np.empty(VALUES, np.float32)
    while True:
        due_s = next(due) if trial.phases == "fixed" else end_s + next(phases)
        values.fill(rank + 1.0)
        time.sleep(max(due_s - time.monotonic(), 0.0))
        begin_s = time.monotonic()
        values[-1] = float(begin_s >= start_s + trial.span_s)
        all_reduce(values, rank, before, after)
        end_s = time.monotonic()
        found.append(Exchange(due_s, begin_s, end_s))
        if not (values[:-1] == RANKS * (RANKS + 1) / 2).all():
            raise RuntimeError("a sum is wrong")
        if values[-1]:
            return found


def side_of(rank: int) -> int:
    """Which of the two servers a rank is on."""
    return 2 * rank // RANKS


def _enter(server: str) -> None:
    """Leave the network of the machine for that of a server, and make sure of it."""
    with open(f"/run/netns/{server}", "rb") as file:  # noqa: PTH123 - a descriptor is needed
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), _NEW_NETWORK):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), server)
    seen = {name for _, name in socket.if_nameindex()}
    if seen != {"lo", DEVICE}:
        raise RuntimeError(f"interfaces of {server}: {', '.join(sorted(seen))}")


def _socket() -> socket.socket:
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, CONGESTION.encode())
    for option in (_SO_SNDBUFFORCE, _SO_RCVBUFFORCE):
        made.setsockopt(socket.SOL_SOCKET, option, _BUFFER_BYTES)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", _PATIENCE_S, 0))
    return made
