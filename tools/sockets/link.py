"""A link of limited rate between two network namespaces; nothing outside of them is touched. Needs root."""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rarlib.model.errors import InputError
from tools.sockets.plan import RATE_MBIT

PREFIX, DEVICE = "rarlib-ring", "ring"
ADDRESSES = ("10.77.0.1", "10.77.0.2")
FIRST_PORT, PORTS_OF_A_JOB = 16_384, 16
_QUEUE_BYTES = 262_144
_SEGMENTS = 4
"""Packets that the kernel handles as one, at most: long ones would make sharing coarse, short ones cost time."""


def server_names(process: int) -> tuple[str, str]:
    """Names of the namespaces of a process."""
    return f"{PREFIX}-{process}-a", f"{PREFIX}-{process}-b"


def port_of(job: int, rank: int) -> int:
    """Where a rank listens; the ports of a job share all but their last four bits."""
    return FIRST_PORT + PORTS_OF_A_JOB * job + rank


def link_commands(servers: Sequence[str]) -> list[list[str]]:
    """Make both servers and the link between them."""
    first, second = servers
    lines = [
        f"ip netns add {first}",
        f"ip netns add {second}",
        f"ip -n {first} link add {DEVICE} type veth peer name {DEVICE} netns {second}",
    ]
    for server, address in zip(servers, ADDRESSES, strict=True):
        lines += [
            f"ip -n {server} addr add {address}/30 dev {DEVICE}",
            f"ip -n {server} link set {DEVICE} gso_max_segs {_SEGMENTS}",
            f"ip -n {server} link set lo up",
            f"ip -n {server} link set {DEVICE} up",
        ]
    return [line.split() for line in lines]


def shaping_commands(server: str, queue: str, jobs: int, rate_mbit: float) -> list[list[str]]:
    """Limit the rate at which a server sends.

    Args:
        server: its namespace.
        queue: `class`: a class for each job, all equal, that lend one another what they do not use; `fifo`: one queue.
        jobs: how many.
        rate_mbit: Mbit/s.
    """
    on, rate = f"tc -n {server}", f"{rate_mbit:g}mbit"
    if queue == "fifo":
        return [f"{on} qdisc add dev {DEVICE} root tbf rate {rate} burst 16384 limit {_QUEUE_BYTES}".split()]
    lines = [
        f"{on} qdisc add dev {DEVICE} root handle 1: htb default 2",
        f"{on} class add dev {DEVICE} parent 1: classid 1:1 htb rate {rate} ceil {rate} burst 16384 cburst 16384",
        f"{on} class add dev {DEVICE} parent 1:1 classid 1:2 htb rate 1mbit ceil {rate} quantum 6056",
    ]
    for job in range(jobs):
        lines += [
            f"{on} class add dev {DEVICE} parent 1:1 classid 1:{10 + job} htb rate {(rate_mbit - 1.0) / jobs:g}mbit "
            f"ceil {rate} burst 6056 cburst 6056 quantum 6056",
            f"{on} qdisc add dev {DEVICE} parent 1:{10 + job} bfifo limit {_QUEUE_BYTES}",
        ]
        for side in ("dport", "sport"):  # what is sent, and what is acknowledged
            lines.append(
                f"{on} filter add dev {DEVICE} parent 1: protocol ip prio 1 u32 match ip {side} {port_of(job, 0)} "
                f"0x{0xFFFF - PORTS_OF_A_JOB + 1:x} flowid 1:{10 + job}"
            )
    return [line.split() for line in lines]


def sent_bytes(stated: str) -> int:
    """Bytes that the root queue of a device has sent.

    Args:
        stated: what `tc -s -j qdisc show` prints.
    """
    (root,) = [queue for queue in json.loads(stated) if queue.get("root")]
    return int(root["bytes"])


class Link:
    """A context with both servers and a link of limited rate; its namespaces are gone afterwards.

    Args:
        queue: as in `shaping_commands`.
        jobs: how many.
        rate_mbit: Mbit/s each way.

    Raises:
        InputError: a right, a program or a feature of the kernel is missing.
    """

    def __init__(self, queue: str, jobs: int, rate_mbit: float) -> None:
        self.servers = server_names(os.getpid())
        self._commands = link_commands(self.servers)
        for server in self.servers:
            self._commands += shaping_commands(server, queue, jobs, rate_mbit)

    def __enter__(self) -> Self:
        remove_left_over()
        try:
            for command in self._commands:
                call(command)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def sent(self) -> list[int]:
        """Bytes that each server has sent over the link, with headers, shape (2,)."""
        return [
            sent_bytes(call(["tc", "-n", name, "-s", "-j", "qdisc", "show", "dev", DEVICE])) for name in self.servers
        ]

    def _remove(self) -> None:
        for server in set(self.servers) & set(_namespaces()):
            call(["ip", "netns", "del", server])


def remove_left_over() -> None:
    """Remove the namespaces of processes that were killed."""
    for name in _namespaces():
        if name.startswith(f"{PREFIX}-") and not _alive(int(name.split("-")[2])):
            call(["ip", "netns", "del", name])


def require() -> None:
    """Raises InputError where there can be no link."""
    if why := missing():
        raise InputError(why, file="sockets")


def missing() -> str:
    """What this machine lacks or forbids; empty: nothing."""
    if os.name != "posix" or os.geteuid() != 0:
        return "needs root, for network namespaces"
    lacking = [program for program in ("ip", "tc") if shutil.which(program) is None]
    if lacking:
        return f"needs the program {lacking[0]} (iproute2)"
    try:  # a container may forbid namespaces, and a kernel may know no such link
        with Link("fifo", 1, RATE_MBIT):
            return ""
    except InputError as error:
        return f"cannot make a link: {error.rule}"


def call(command: Sequence[str]) -> str:
    """Run a program to its end; gives what it printed.

    Raises:
        InputError: it failed.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"`{' '.join(command)}` failed: {' '.join(done.stderr.split())}", file="sockets")
    return done.stdout


def _namespaces() -> list[str]:
    return [line.split()[0] for line in call(["ip", "netns", "list"]).splitlines() if line.strip()]


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
