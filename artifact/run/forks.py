"""A process that has imported what jobs need, and forks a child for each of them: imports are paid once a run.

Snakemake's process starts the server (`start`), and scripts of rules with many jobs begin with `hand_over`. The child
runs the same script from its beginning, with the script's standard streams; the script's own process waits for it.
Where there is no server (on Slurm's nodes, in a container) the script goes on where it is: same code, same results.
"""

import contextlib
import gc
import importlib
import json
import os
import re
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from artifact.run.resume import STATE

SERVER = "RARLIB_FORK_SERVER"
"""Environment variable: the server's socket, relative to the folder of the run, since addresses are short."""
_FORKED = False
"""Whether this process is a child of the server."""
_IMPORT = re.compile(r"^(?:from ([\w.]+) )?import (\w[\w.]*(?:, \w+)*)?", re.MULTILINE)
ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Environment in which numerical libraries do not each start a thread per core."""


def start() -> None:
    """Start the server; it ends, with all of its children, when this process ends, however that happens."""
    path = STATE / f"forks-{os.getpid()}.sock"
    with socket.socket(socket.AF_UNIX) as listener, contextlib.suppress(OSError):  # not every file system has sockets
        before = os.umask(0o077)
        try:
            listener.bind(str(path))
        finally:
            os.umask(before)
        listener.listen(64)
        subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import serve; serve({listener.fileno()})"],
            env=os.environ | ONE_CORE,
            pass_fds=[listener.fileno()],
            stdin=subprocess.PIPE,  # its end is the sign that this process has ended
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.environ[SERVER] = str(path)


def hand_over(*modules: str) -> None:
    """Let a child of the server do the rest of this script, and end with its exit code; without a server do nothing.

    Args:
        modules: modules, or notebooks with import statements, of which the job has need besides those of the script.
            What users write, such as schedulers, is imported by the job alone, whose time is limited.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            if _FORKED:
                return
            connection.connect(os.environ[SERVER])
        except (KeyError, OSError):
            return
        order = {"argv": sys.argv, "modules": modules, "folder": str(Path.cwd()), "environment": dict(os.environ)}
        socket.send_fds(connection, [b"."], [0, 1, 2])
        connection.sendall(json.dumps(order).encode() + b"\n")
        answer = connection.recv(1)
    sys.exit(answer[0] if answer else 1)


def serve(descriptor: int) -> None:
    """Fork a child for every order that comes through a socket, until nobody is left who could give one."""
    import numpy as np  # noqa: PLC0415  # not for those who only wait

    from rarlib.model.heap import before  # noqa: PLC0415

    listener = socket.socket(fileno=descriptor)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system buries children
    before(np.zeros(2), 0, 1)  # the first compiled call of a process takes a second, whatever it computes
    ready = selectors.DefaultSelector()
    for source in (sys.stdin, listener):
        ready.register(source, selectors.EVENT_READ)
    while all(key.fileobj is listener for key, _ in ready.select()):
        connection, _ = listener.accept()
        with connection:
            _, streams, _, _ = socket.recv_fds(connection, 1, 3)
            text = connection.makefile("rb").readline()
            if text.endswith(b"\n"):
                order = json.loads(text)
                for named in (order["argv"][0], *order["modules"]):
                    _import(named)
                gc.freeze()
                if os.fork() == 0:
                    _work(connection, order, streams)
            for stream in streams:
                os.close(stream)
    Path(listener.getsockname()).unlink(missing_ok=True)
    os.killpg(0, signal.SIGKILL)


def _import(named: str) -> None:
    """Import a module, or all that a script or notebook imports."""
    path, modules = Path(named), [named]
    with contextlib.suppress(Exception):  # the job will tell
        if path.suffix in (".py", ".ipynb"):
            text = path.read_text(encoding="utf-8")
            cells = [text] if path.suffix == ".py" else ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
            found = _IMPORT.findall("\n".join(cells))
            modules = [f"{module}.{name}".strip(".") for module, names in found for name in names.split(", ")]
    for module in modules:
        with contextlib.suppress(Exception):  # a function is no module, but the one that has it is imported
            importlib.import_module(module)


def _work(connection: socket.socket, order: Mapping[str, Any], streams: list[int]) -> None:
    """Run a script in this child, tell its exit code, and end."""
    global _FORKED
    _FORKED, code = True, 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for own, given in enumerate(streams):
            os.dup2(given, own)
        # Who waits for the answer may be ended; then nobody wants it.
        threading.Thread(target=lambda: (connection.recv(1), os._exit(1)), daemon=True).start()
        os.chdir(order["folder"])
        os.environ.clear()
        os.environ.update(order["environment"])
        sys.argv = order["argv"]
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        finally:
            sys.stdout.flush()  # errors are told after what was printed before, as Python does
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            os.write(2, f"{end.code}\n".encode())
    except BaseException:  # as Python's own end of a script
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            connection.sendall(bytes([code]))
        os._exit(code)
