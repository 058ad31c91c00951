"""What is shown while a run is computed: how much of the work is done, and that kernels are being compiled."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

try:
    from numba.core import event
except ImportError:  # the browser edition has no compiler
    event = None  # type: ignore[assignment]

_BAR = "{desc}: {percentage:3.0f}% of the work |{bar}| {elapsed}<{remaining}"


@contextmanager
def compiling_note(*, quiet: bool) -> Iterator[None]:
    """Say on stderr, once, if kernels have to be compiled: for half a minute or more nothing else happens."""
    if quiet or event is None:
        yield
        return
    listener = _Compiling()
    with event.install_listener("numba:compile", listener):
        yield


@contextmanager
def work_bar(name: str, *, quiet: bool) -> Iterator[Callable[[float], None]]:
    """A bar on a terminal; yields the function that moves it to a share of the work in [0, 1]."""
    with tqdm(total=1.0, desc=name, bar_format=_BAR, disable=quiet or not sys.stderr.isatty()) as bar:

        def move(share: float) -> None:
            bar.update(max(share, bar.n) - bar.n)

        with compiling_note(quiet=quiet):
            yield move


class _Compiling(event.Listener if event is not None else object):  # type: ignore[misc]
    """Prints one line when the first kernel is compiled; kernels loaded from the cache cause no event."""

    _said = False

    def on_start(self, event: Any) -> None:
        if not self._said:
            self._said = True
            line = "compiling, once: half a minute or more; later runs start at once"
            tqdm.write(line, file=sys.stderr)
            sys.stderr.flush()

    def on_end(self, event: Any) -> None:
        pass
