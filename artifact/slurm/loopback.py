"""A Slurm on this machine alone: one controller, one daemon per node, own key, own folder, ports of the loopback.

Nothing of an installed Slurm is used but its programs: configuration, state, logs and the key of MUNGE lie in one
folder. All daemons are children of this process and end with it, even if it is killed; jobs are cancelled first, unless
it is. No right of an administrator is needed.
"""

import ctypes
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from artifact.slurm.client import Slurm, require_programs
from rarlib.model.errors import InputError
from rarlib.model.files import write_text

DAEMONS = ("munged", "slurmctld", "slurmd")
_PR_SET_PDEATHSIG = 1
_UP_S, _DOWN_S = 60.0, 15.0
_FIRST_PORT, _LAST_PORT = 20_000, 30_000

_CONFIGURATION = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/spool/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/log/%n.log
LogTimeFormat=iso8601_ms
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=20
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MinJobAge=86400
"""


class Loopback:
    """A context with a running Slurm, whose nodes are n1, n2, ...; all nodes are idle when it begins.

    Args:
        folder: where everything is written; made if missing. Its path must be short (MUNGE's socket lies in it).
        cpus: CPUs of each node; they need not exist, shape (nodes,).
        settings: more lines of slurm.conf, such as `{"SchedulerType": "sched/builtin"}`.

    Raises:
        InputError: if programs are missing or a daemon does not come up.
    """

    def __init__(self, folder: Path, cpus: Sequence[int], settings: Mapping[str, str] | None = None) -> None:
        self.folder = folder.resolve()
        self._programs = require_programs(DAEMONS)
        self.names = [f"n{number + 1}" for number in range(len(cpus))]
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("state", "spool", "log"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.configuration = self.folder / "slurm.conf"
        write_text(self.configuration, self._text(cpus, settings or {}))
        self.slurm = Slurm(self.configuration)

    def _text(self, cpus: Sequence[int], settings: Mapping[str, str]) -> str:
        host, port = socket.gethostname().partition(".")[0], _free_ports(len(cpus) + 1)
        nodes = [
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port + 1 + place} CPUs={count} "
            "RealMemory=1000 State=UNKNOWN"
            for place, (name, count) in enumerate(zip(self.names, cpus, strict=True))
        ]
        head = _CONFIGURATION.format(host=host, port=port, user=_user(), folder=self.folder)
        more = [f"{name}={value}" for name, value in settings.items()]
        return head + "\n".join(
            [*more, *nodes, "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP", ""]
        )

    def __enter__(self) -> Self:
        try:
            key = self.folder / "munge.key"
            key.touch(mode=0o600)
            key.write_bytes(secrets.token_bytes(1024))
            self._start(
                "munged",
                "--foreground",
                "--force",  # a folder that others cannot enter is what is wanted
                *(f"--{name}={self.folder}/munge.{end}" for name, end in _MUNGE.items()),
            )
            self._wait((self.folder / "munge.socket").exists)
            configured = ("-D", "-f", str(self.configuration))
            self._start("slurmctld", *configured, "-c")  # without the state of an earlier one
            for name in self.names:
                self._start("slurmd", *configured, "-N", name, key=name)
            self.wait_idle()
        except BaseException:
            self._stop_all()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop_all()

    def wait_idle(self) -> None:
        """Wait until all nodes can take jobs and hold none.

        Raises:
            InputError: if that takes more than a minute.
        """
        self._wait(lambda: self._states() == {"idle"})

    def _states(self) -> set[str]:
        try:
            return set(self.slurm.call("sinfo", "--noheader", "--format=%T").split())
        except InputError:  # the controller is not up yet
            return set()

    def _wait(self, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _UP_S
        while not done():
            ended = [name for name, process in self._daemons.items() if process.poll() is not None]
            if ended or time.monotonic() > deadline:
                what = f"{ended[0]} has ended" if ended else f"not up within {_UP_S:.0f} s"
                raise InputError(f"{what}; see {self.folder}/log and {self.folder}/slurmctld.log", file="Slurm")
            time.sleep(0.1)

    def _start(self, program: str, *arguments: str, key: str = "") -> None:
        with (self.folder / f"log/{key or program}.out").open("ab") as out:
            # In a session of its own, or an interrupt at the terminal would end it before its jobs are cancelled.
            process = subprocess.Popen(
                [self._programs[program], *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=self.slurm.environment,
                start_new_session=True,
                preexec_fn=_end_with_the_parent,  # noqa: PLW1509 - no other thread is at work here
            )
        self._daemons[key or program] = process

    def _stop_all(self) -> None:
        """Cancel jobs, then end the daemons: nodes first, MUNGE last."""
        if "slurmctld" in self._daemons:
            self._cancel_all()
        for process in self._daemons.values():
            process.terminate()
        deadline = time.monotonic() + _DOWN_S
        for process in self._daemons.values():
            try:
                process.wait(max(deadline - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._daemons.clear()

    def _cancel_all(self) -> None:
        try:
            self.slurm.call("scancel", "--user", _user())
            deadline = time.monotonic() + _DOWN_S
            while self.slurm.call("squeue", "--noheader") and time.monotonic() < deadline:
                time.sleep(0.2)
        except InputError:
            pass  # a controller that does not answer has nothing left to cancel with


_MUNGE = {"socket": "socket", "key-file": "key", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}


def _end_with_the_parent() -> None:
    """Runs in the child: it gets SIGTERM when the thread that has started it ends, however that ends (prctl(2))."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _user() -> str:
    import pwd  # noqa: PLC0415 - there is none on Windows, where this module is imported for its help only

    return pwd.getpwuid(os.getuid()).pw_name


def _free_ports(count: int) -> int:
    """First of `count` consecutive ports that nobody listens on; where the search begins depends on the process."""
    span = _LAST_PORT - _FIRST_PORT
    for step in range(100):
        first = _FIRST_PORT + (os.getpid() * 97 + step * 211) % span
        if all(_is_free(port) for port in range(first, first + count)):
            return first
    raise InputError(f"no {count} consecutive free ports above {_FIRST_PORT}", file="Slurm")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
