"""A filter of system calls for a process that only computes: what it may still ask of the kernel is listed here.

The filter is a program of classic BPF (Linux, Documentation/userspace-api/seccomp_filter.rst). Calls that are not
listed fail with EPERM, so that Python reports what was refused; a call of another architecture ends the process. The
filter cannot be taken back, and everything that the process could start would have it too.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

# Numbers of x86-64 (arch/x86/entry/syscalls/syscall_64.tbl): memory, time, random bytes, signals of the process's own,
# and reading and writing what is open already. Nothing opens, connects, starts, signals or traces.
_ALLOWED = {
    "read": 0, "write": 1, "close": 3, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12,
    "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24, "mremap": 25, "madvise": 28,
    "getpid": 39, "exit": 60, "gettimeofday": 96, "sigaltstack": 131, "gettid": 186, "futex": 202,
    "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229, "exit_group": 231, "getrandom": 318,
}  # fmt: skip
_MACHINE, _ARCHITECTURE = "x86_64", 0xC000003E  # AUDIT_ARCH_X86_64

_LOAD, _JUMP_EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, BPF_RET|BPF_K
_NUMBER, _ARCH = 0, 4  # offsets in struct seccomp_data
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000

_SECCOMP, _SET_FILTER, _ACTION_AVAILABLE = 317, 1, 2
_NO_NEW_PRIVILEGES, _DIE_WITH_PARENT, _SIGKILL = 38, 1, 9


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def refusal() -> str:
    """Why this machine cannot filter system calls; empty if it can."""
    if not sys.platform.startswith("linux") or platform.machine() != _MACHINE:
        return f"needs Linux on {_MACHINE}, this is {platform.system()} on {platform.machine()}"
    action = ctypes.c_uint32(_REFUSE & 0x7FFF0000)
    if ctypes.CDLL(None, use_errno=True).syscall(_SECCOMP, _ACTION_AVAILABLE, 0, ctypes.byref(action)) != 0:
        return f"the kernel refuses: {os.strerror(ctypes.get_errno())}"
    return ""


def confine() -> None:
    """Filter all further system calls of this process, for good; it has one thread.

    Raises:
        OSError: if the kernel refuses; nothing is filtered then.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    code = _code()
    program = _Program(len(code) // 8, code)
    for call in (
        lambda: libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0),
        lambda: libc.syscall(_SECCOMP, _SET_FILTER, 0, ctypes.byref(program)),
    ):
        if call() != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def die_with_parent() -> None:
    """End this process when the one that started it ends (Linux; elsewhere nothing happens)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, _SIGKILL, 0, 0, 0)


def _code() -> bytes:
    """The filter, 8 bytes an instruction: code, jump if true, jump if false, constant."""
    numbers = sorted(_ALLOWED.values())
    steps = [(_LOAD, 0, 0, _ARCH), (_JUMP_EQUAL, 1, 0, _ARCHITECTURE), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    steps += [(_JUMP_EQUAL, len(numbers) - i, 0, number) for i, number in enumerate(numbers)]
    steps += [(_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
