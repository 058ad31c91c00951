"""Messages between the simulator and a policy that is not trusted: one line of strict JSON each, of bounded length."""

import json
import math
import os
import time
from select import select
from typing import Any

MOST_BYTES = 2**20
"""Longest message that a policy may send."""
_CHUNK = 2**16


class MessageError(Exception):
    """What has come is no message; says why, in a few words."""


def packed(message: Any) -> bytes:
    """A message as it is sent; arrays and numbers of NumPy become lists and numbers.

    Raises:
        TypeError: for a value that JSON does not have.
        ValueError: for one that refers to itself.
    """
    return json.dumps(message, default=_plain, separators=(",", ":")).encode() + b"\n"


def send(descriptor: int, message: bytes) -> None:
    """Write a whole message, as `packed` gives it."""
    left = memoryview(message)
    while left:
        left = left[os.write(descriptor, left) :]


def parsed(line: bytes) -> Any:
    """The message of a line.

    Raises:
        MessageError: if it is not JSON.
    """
    try:
        return json.loads(line, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"an answer that cannot be read ({type(error).__name__})") from None


class Inbox:
    """Messages that come in through a descriptor.

    Args:
        descriptor: a pipe or socket.
        most: longest message accepted, bytes.
    """

    def __init__(self, descriptor: int, most: float = MOST_BYTES) -> None:
        self._descriptor, self._most, self._rest = descriptor, most, b""

    def receive(self, until: float = math.inf) -> Any:
        """The next message.

        Args:
            until: `time.monotonic()` up to which is waited.

        Raises:
            TimeoutError: if it has not come by then.
            EOFError: if the other side has closed.
            MessageError: if it is too long, or not JSON.
        """
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            if sum(map(len, parts)) > self._most:
                raise MessageError(f"an answer of more than {self._most:,} bytes")
            if until < math.inf and not select([self._descriptor], [], [], max(until - time.monotonic(), 0.0))[0]:
                raise TimeoutError
            part = os.read(self._descriptor, _CHUNK)
            if not part:
                raise EOFError
            parts.append(part)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return parsed(line)

    @property
    def unasked(self) -> bool:
        """Whether something is there that nobody has read."""
        return bool(self._rest) or bool(select([self._descriptor], [], [], 0.0)[0])


def _plain(value: Any) -> Any:
    if type(value).__module__ == "numpy":
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no number, text or list")


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
