"""What every job of the pipeline does around its work: its own log, and one line on the screen when it matters."""

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from rarlib.model.errors import InputError


@contextlib.contextmanager
def logged(path: str | Path) -> Iterator[Callable[[str], None]]:
    """Send everything the job prints, the libraries' warnings included, to its log.

    Yields a function that prints to the screen as well. A job that fails says why in one line on the screen;
    an InputError ends it with exit code 2, anything else with 1 and the traceback in the log.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    screen = os.dup(2)
    with Path(path).open("w", encoding="utf-8", buffering=1) as log:
        # Compiled libraries write to the descriptors, not to Python's streams.
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)

        def say(text: str) -> None:
            log.write(f"{text}\n")
            os.write(screen, f"{text}\n".encode())

        try:
            yield say
        except InputError as error:
            say(f"error: {error}")
            sys.exit(2)
        except Exception as error:
            log.write(traceback.format_exc())
            say(f"error: {type(error).__name__}: {error} (details in {path})")
            sys.exit(1)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
