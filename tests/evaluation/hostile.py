"""Policies that try to hang, to escape, to forge or to fail. `CANARY` and `PORT` stand for a folder and a port."""

from collections.abc import Iterator

_ESCAPES = """
open("CANARY/made", "w").write("x")
open("CANARY/secret").read()
import os; os.open("CANARY/made", os.O_CREAT | os.O_WRONLY)
import os; os.mkdir("CANARY/made")
import os; os.remove("CANARY/secret")
import os; os.rename("CANARY/secret", "CANARY/made")
import os; os.symlink("CANARY/secret", "CANARY/made")
import os; os.chmod("CANARY/secret", 0)
import os; os.truncate("CANARY/secret", 0)
import os; os.listdir("CANARY")
import os; os.system("touch CANARY/made")
import os; os.execv("/bin/sh", ["sh", "-c", "touch CANARY/made"])
import os; os.fork() and 1 or open("CANARY/made", "w")
import os; os.posix_spawn("/bin/touch", ["touch", "CANARY/made"], {})
import os; os.kill(os.getppid(), 9)
import os; os.kill(-1, 9)
import os; os.killpg(0, 9)
import os; os.write(3, b'{"decisions": []}\\n' * 100)
import os; os.write(3, b'{"failed": 7}\\n')
import os; os.write(3, b'{"ready": "a", "decisions": []}\\n')
import os; os.write(3, b"\\xff\\xfe not json\\n")
import os; os.write(3, b"[" * 100000 + b"\\n")
import os; os.write(3, b"9" * 100000 + b"\\n")
import os; os.write(3, b"x" * (1 << 21))
import os; os.close(3)
import os; [os.write(each, b"x") for each in range(4, 64)]
import os; os.setuid(0); os.chroot("CANARY"); os.open("made", 65)
import socket; socket.create_connection(("127.0.0.1", PORT), 0.1)
import socket; socket.socket(socket.AF_UNIX).connect("CANARY/socket")
import subprocess; subprocess.run(["touch", "CANARY/made"])
import ctypes; ctypes.CDLL(None).system(b"touch CANARY/made")
import ctypes; ctypes.CDLL(None).open(b"CANARY/made", 65, 511)
import ctypes; ctypes.CDLL(None).syscall(59, b"/bin/touch", 0, 0)
import ctypes; ctypes.CDLL(None).syscall(0x40000000 + 2, b"CANARY/made", 65, 511)
import ctypes; ctypes.CDLL(None).prctl(38, 0, 0, 0, 0); ctypes.CDLL(None).syscall(317, 0, 0, 0)
import ctypes; ctypes.CDLL(None).ptrace(16, 1, 0, 0)
import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1)); open("CANARY/made", "w").write("x")
import threading; threading.Thread(target=open, args=("CANARY/made", "w")).start()
import multiprocessing; multiprocessing.Process(target=open, args=("CANARY/made", "w")).start()
import gc; [each.clear() for each in gc.get_objects() if type(each) is dict and len(each) > 5]
"""

_FAILURES = """
while True: pass
import time; time.sleep(60)
import select; select.select([], [], [], 60)
import os; os.read(3, 1 << 20); os.read(3, 1)
import signal; [signal.signal(each, signal.SIG_IGN) for each in (1, 2, 15, 24)]; [0 for _ in iter(int, 1)]
x = [0] * (1 << 40)
x = bytearray(1 << 33)
x = []; [x.append(bytearray(1 << 24)) for _ in range(1 << 20)]
import sys; sys.setrecursionlimit(1 << 30); f = lambda f: f(f); f(f)
import ctypes; ctypes.string_at(0)
import os; os.abort()
import os; os._exit(0)
import sys; sys.exit(0)
raise KeyboardInterrupt
raise BaseException("x" * 1000000)
raise MemoryError
raise type("Odd", (Exception,), {"__str__": lambda self: 1 / 0})
1 / 0
import torch
import no_such_module
from rarlib import simulate
from rarlib.model import files
import builtins; builtins.len = None
import json; json.dumps = lambda *_, **__: "{}"
import sys; sys.stdout.write("x" * 100000); sys.stderr.write("x" * 100000)
print("x" * 1000000)
"""

_ANSWERS = """
None
7
"start"
[None]
[7]
[(0, ((0, 1),))]
[["start", 0, [[0, 1]], 0]]
[Start(0, ((0, 10**9),))]
[Start(-1, ((0, 1),))]
[Start(10**9, ((0, 1),))]
[Start(10**400, ((0, 1),))]
[Start(0, ((-1, 1),))]
[Start(0, ((0, -1),))]
[Start(0, ((0, 0.5),))]
[Start(0, ((0, 1), (0, 1)))]
[Start(0, ())]
[Start(0, 7)]
[Start("0", ((0, 1),))]
[Start(True, ((0, 1),))]
[Start(float("nan"), ((0, 1),))]
[Start(0, ((0, 1),), "x")]
[Start(view.waiting[0].row + 1, ((0, 1),))]
[Stop(0)]
[Stop(-5)]
[Stop([0])]
[Wake(float("inf"))]
[Wake(float("nan"))]
[Wake(-1.0)]
[Wake(0)]
[Wake("soon")]
[Wake(view.now_s + 1e-9)]
[Wake(view.now_s + 1e-3)]
[Allocation(np.array([0]), np.array([[99, 99]]))]
[Allocation(np.array([99]), np.array([[1, 0]]))]
[Allocation(np.array([0]), np.array([[-1, 0]]))]
[Allocation(np.array([0, 0]), np.array([[1, 0], [1, 0]]))]
[Allocation([0], [[1]])]
[Allocation(np.array([0]), np.array([[0.5, 0.5]]))]
[Allocation(np.zeros(0, int), np.zeros((0, 2), int))]
(Stop(0) for _ in iter(int, 1))
(time.sleep(60) for _ in range(1))
[Start(0, ((0, 1),))] * 100000
[Stop(object())]
[Stop(view)]
view.prices
{Stop(0): 1}
[Start(view.arrivals_left + 10, ((0, 1),))]
[view.job(10**6)]
[view.offers.goodput.types]
[view.level(0)]
"""

_HEAD = "import time\nimport numpy as np\nfrom rarlib import Allocation, Start, Stop, Wake\n"
_IDLE = "    def decide(self, view):\n        return []\n"
_PLACES = {
    "module": _HEAD + "{0}\nclass P:\n" + _IDLE,
    "init": _HEAD + "class P:\n    def __init__(self):\n        {0}\n" + _IDLE,
    "decide": _HEAD + "class P:\n    def decide(self, view):\n        {0}\n        return []\n",
    "swallowed": _HEAD
    + "class P:\n    def decide(self, view):\n        try:\n            {0}\n        except BaseException:\n"
    + "            pass\n        return []\n",
    "generator": _HEAD + "class P:\n    def decide(self, view):\n        yield from ()\n        {0}\n",
    "class": _HEAD + "class P:\n    {0}\n" + _IDLE,
    "second": _HEAD
    + "class P:\n    n = 0\n    def decide(self, view):\n        self.n += 1\n        if self.n > 1:\n            {0}\n"
    + "        return [Wake(view.now_s + 1.0)]\n",
    "property": _HEAD + "class P:\n    @property\n    def name(self):\n        {0}\n" + _IDLE,
    "new": _HEAD + "class P:\n    def __new__(cls):\n        {0}\n        return object.__new__(cls)\n" + _IDLE,
    "import": _HEAD + "class M(type):\n    def __init__(cls, *_):\n        {0}\nclass P(metaclass=M):\n" + _IDLE,
    "twice": _HEAD + "class P:\n    def decide(self, view):\n        {0}\n        {0}\n        return []\n",
    "string": _HEAD + "class D(list):\n    def __iter__(self):\n        {0}\n        return iter(())\n"
    + "class P:\n    def decide(self, view):\n        return D()\n",
}  # fmt: skip
_ANSWERED = {
    "answer": _HEAD + "class P:\n    def decide(self, view):\n        return {0}\n",
    "yielded": _HEAD + "class P:\n    def decide(self, view):\n        yield from {0}\n",
    "later": _HEAD
    + "class P:\n    n = 0\n    def decide(self, view):\n        self.n += 1\n"
    + "        return {0} if self.n > 1 else [Wake(view.now_s + 1.0)]\n",
    "changed": _HEAD
    + "class P:\n    def decide(self, view):\n        view.free[:] = 10**6\n        view.now_s = -1.0\n"
    + "        return {0}\n",
}
_BROKEN = (
    "", "\0", "class", "x = 1", "class A: pass", "def decide(view): return []", "decide = 7",
    "class A:\n    decide = 7", "class A:\n    def decide(self): return []",
    "class A:\n    def decide(self, view, more): 0",
    "class A:\n    def decide(self, view): return []\nclass B(A): pass", "\ufeff\u202eclass A: pass", "(" * 10000,
)  # fmt: skip


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


def policies() -> Iterator[tuple[str, str]]:
    """All of them: what it is, and the text. Those that differ most come first."""
    for number, text in enumerate(_BROKEN):
        yield f"broken {number}", text
    for places, lines in ((_PLACES, [*_lines(_ESCAPES), *_lines(_FAILURES)]), (_ANSWERED, _lines(_ANSWERS))):
        first = "decide" if places is _PLACES else "answer"
        yield from ((f"{first}: {line}", places[first].format(line)) for line in lines)
    for places, lines in ((_PLACES, [*_lines(_ESCAPES), *_lines(_FAILURES)]), (_ANSWERED, _lines(_ANSWERS))):
        for place in list(places):
            if place not in ("decide", "answer"):
                yield from ((f"{place}: {line}", places[place].format(line)) for line in lines)
