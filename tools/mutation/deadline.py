"""A limit for a test, in processor time and in waiting, that never strikes inside of what must not be left."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

_TIMERS = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
_MOMENT_S = 0.01


class TooLongError(BaseException):
    """A test beyond its limit; no `except Exception` of a test may swallow it."""


@contextmanager
def deadline(processor_s: float, waiting_s: float, never_left: Path) -> Iterator[None]:
    """Raise in the code below after a time, and again after as much time if it goes on in spite of it.

    Args:
        processor_s: time of the processor.
        waiting_s: time of the clock.
        never_left: folder of modules that are not interrupted: coverage.py would keep its lock for ever, and the next
            test would wait for it.

    Raises:
        TooLongError: the time is over.
    """

    def strike(number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename.startswith(f"{never_left}/"):
                signal.setitimer(_TIMERS[signal.Signals(number)], _MOMENT_S, processor_s)
                return
            frame = frame.f_back
        raise TooLongError

    for number, timer in _TIMERS.items():
        signal.signal(number, strike)
        limit_s = processor_s if number is signal.SIGPROF else waiting_s
        signal.setitimer(timer, limit_s, limit_s)
    try:
        yield
    finally:
        for timer in _TIMERS.values():
            signal.setitimer(timer, 0)
