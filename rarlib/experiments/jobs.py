"""What every job of the pipeline does around its work: its own log, one line for a bad input, one core."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from rarlib.model.errors import InputError


@contextlib.contextmanager
def logged(path: str | Path) -> Iterator[None]:
    """Send everything the job prints, the libraries' warnings included, to its log.

    An InputError ends the job with one line in the log and exit code 2.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with Path(path).open("w", encoding="utf-8", buffering=1) as log:
        # Compiled libraries write to the descriptors, not to Python's streams.
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        try:
            yield
        except InputError as error:
            sys.stderr.write(f"error: {error}\n")
            sys.exit(2)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
