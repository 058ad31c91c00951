"""Processes for policies, from the side that trusts them with nothing."""

import contextlib
import math
import signal
import socket
import subprocess
import sys
import time
from types import TracebackType
from typing import Any, NamedTuple

from rarlib.evaluation.messages import Inbox, MessageError, packed, send
from rarlib.evaluation.seccomp import refusal
from rarlib.model.errors import InputError
from rarlib.model.project import CODE_ROOT

_START_S = 60.0
"""Longest time in which the process from which policies are forked may start."""
_GRACE_S = 0.25
"""Time in which a process ends that has closed its connection because it ends."""


class PolicyError(InputError):
    """A policy failed; the message is the reason."""


class BudgetOverError(InputError):
    """The time for all policies is over, which is no fault of the policy at work; the message says when that was."""


class PolicyLimits(NamedTuple):
    """What a policy may take in one run.

    Attributes:
        answer_s: seconds until it has answered a pass.
        cpu_s: seconds of a processor.
        memory_bytes: memory, beyond what Python and NumPy take.
    """

    answer_s: float = 5.0
    cpu_s: int = 60
    memory_bytes: int = 2**29


class PolicyEnd(NamedTuple):
    """How the process of a policy ended.

    Attributes:
        status: exit code; negative: the signal that ended it.
        seconds: seconds of a processor that it took.
        by_us: whether it was still there and was ended.
    """

    status: int
    seconds: float
    by_us: bool


class PolicyProcesses:
    """Forks policies, each into a process of its own. A context: at its end, all of them have ended.

    Args:
        trusted: do without the filter of system calls; limits of time and memory remain.

    Raises:
        InputError: if this machine cannot filter system calls and the policy is not trusted.
    """

    def __init__(self, *, trusted: bool = False) -> None:
        if not trusted and (why := refusal()):
            rule = f"a file that is not trusted cannot be confined here: filtering system calls {why}"
            raise InputError(f"{rule}; --trust runs it with the rights of this user", file="--trust")
        self._confined = not trusted
        self._requests, theirs = socket.socketpair()
        with theirs:
            given = str(theirs.fileno())
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-m", "rarlib.evaluation.forking", given],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={"PYTHONPATH": str(CODE_ROOT), "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
                start_new_session=True,
            )
        self._answers, self._ready = Inbox(self._requests.fileno()), False

    def __enter__(self) -> "PolicyProcesses":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._requests.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_START_S)
        self._process.kill()
        self._process.wait()

    def ready(self) -> None:
        """Wait until the process from which policies are forked has loaded what they may use.

        Raises:
            InputError: if it does not start.
        """
        if not self._ready:
            self._reply()
            self._ready = True

    def start(self, given: dict[str, Any], limits: PolicyLimits, until: float = math.inf) -> "PolicyConnection":
        """A policy in a new process.

        Args:
            given: what it is told first (`rarlib.evaluation.answering`).
            limits: what it may take.
            until: `time.monotonic()` at which `BudgetOverError` is raised.

        Raises:
            PolicyError: if it fails while it is loaded.
            InputError: if no process can be started.
        """
        self.ready()
        ours, theirs = socket.socketpair()
        request = {"confined": self._confined, "cpu_s": limits.cpu_s, "memory_bytes": limits.memory_bytes}
        with theirs:
            socket.send_fds(self._requests, [packed(request)], [theirs.fileno()])
        pid = self._reply()["pid"]
        connection = PolicyConnection(self, ours, pid, limits, until)
        try:
            connection.ask(given, "while it was loaded", "ready")
        except BaseException:
            connection.close()
            raise
        return connection

    def end(self, pid: int, grace_s: float = 0.0) -> "PolicyEnd":
        """End a policy, unless it ends by itself within a time."""
        send(self._requests.fileno(), packed({"end": pid, "grace_s": grace_s}))
        return PolicyEnd(**self._reply())

    def _reply(self) -> dict[str, Any]:
        try:
            reply: dict[str, Any] = self._answers.receive(time.monotonic() + _START_S)
        except (TimeoutError, EOFError, OSError) as error:
            raise InputError(f"no process for a policy can be started here ({type(error).__name__})") from None
        return reply


class PolicyConnection:
    """A policy at work.

    Args:
        processes: where it was started.
        ours: our side of the connection.
        pid: its process.
        limits: what it may take.
        until: `time.monotonic()` at which `BudgetOverError` is raised.
    """

    def __init__(
        self, processes: PolicyProcesses, ours: socket.socket, pid: int, limits: PolicyLimits, until: float
    ) -> None:
        self._processes, self._socket, self._pid = processes, ours, pid
        self._limits, self._until = limits, until
        self._inbox = Inbox(ours.fileno())
        ours.settimeout(None)

    def close(self, grace_s: float = 0.0) -> "PolicyEnd":
        """End it; see `PolicyProcesses.end`."""
        if self._pid < 0:
            return PolicyEnd(0, 0.0, by_us=False)
        self._socket.close()
        pid, self._pid = self._pid, -1
        return self._processes.end(pid, grace_s)

    def ask(self, message: dict[str, Any], when: str, word: str) -> Any:
        """Send a message and wait for the answer.

        Args:
            message: what is asked.
            when: names the moment in reasons.
            word: the key of the answer.

        Raises:
            PolicyError: if there is no answer, or another one; the policy has been ended then.
            BudgetOverError: if the time is over.
        """
        try:
            return self._asked(message, when, word)
        except TimeoutError:
            self.close()
            if time.monotonic() >= self._until:
                raise BudgetOverError(when) from None
            raise PolicyError(f"{when}: no answer within {self._limits.answer_s:g} s") from None
        except MessageError as error:
            self.close()
            raise PolicyError(f"{when}: {error}") from None
        except (EOFError, OSError):
            raise PolicyError(f"{when}: {self._end()}") from None

    def _asked(self, message: dict[str, Any], when: str, word: str) -> Any:
        if self._inbox.unasked:
            # What is there before anything is asked: its last words, or a forged answer.
            self._inbox.receive(time.monotonic())
            raise MessageError("an answer that nobody asked for")
        until = min(time.monotonic() + self._limits.answer_s, self._until)
        self._send(packed(message), until)
        answer = self._inbox.receive(until)
        if isinstance(answer, dict) and set(answer) == {word}:
            return answer[word]
        if isinstance(answer, dict) and set(answer) == {"failed"} and isinstance(answer["failed"], str):
            self.close()
            raise PolicyError(f"{when}: {answer['failed']}")
        raise MessageError("an answer of another form")

    def _send(self, message: bytes, until: float) -> None:
        """Write a message to a policy that may not read."""
        self._socket.settimeout(max(until - time.monotonic(), 1e-3))
        self._socket.sendall(message)
        self._socket.settimeout(None)

    def _end(self) -> str:
        """How its process ended, in words."""
        # A process closes what it has before it has ended; one that goes on has closed the connection only.
        status, seconds, by_us = self.close(_GRACE_S)
        if by_us:
            return "it closed the connection"
        if status >= 0:
            return f"it ended itself (exit code {status})"
        if status == -signal.SIGKILL and seconds >= 0.5 * self._limits.cpu_s:  # the limit is counted in ticks
            return f"more than {self._limits.cpu_s} s of a processor"
        with contextlib.suppress(ValueError):
            return f"it crashed ({signal.Signals(-status).name})"
        return f"it crashed (signal {-status})"
