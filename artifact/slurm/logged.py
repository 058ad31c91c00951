"""A Slurm whose every command is written to a file before anything else happens."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from artifact.slurm.client import Slurm
from rarlib.model.errors import InputError

_LONGEST = 2_000


class Logged:
    """Calls programs of Slurm and appends a line of JSON for each: time, command, seconds, answer.

    Of programs that only ask (squeue, `scontrol show`), the answer is left out unless they fail.

    Args:
        slurm: the Slurm.
        path: the file; lines are added at its end. Two drivers cannot write to one file at once.

    Raises:
        InputError: if the file cannot be written, or another driver writes to it.
    """

    def __init__(self, slurm: Slurm, path: Path) -> None:
        import fcntl  # noqa: PLC0415 - there is none on Windows, where this module is imported for its help only

        self._slurm = slurm
        try:
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write there: {error.strerror}", file=path) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise InputError("another driver writes there", file=path) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def call(self, program: str, *arguments: str) -> str:
        """What a program prints."""
        began, failed = time.monotonic(), None
        try:
            answer = self._slurm.call(program, *arguments)
        except InputError as error:
            failed, answer = error, str(error)
        asks = program == "squeue" or arguments[:1] == ("show",)
        said = {} if asks and failed is None else {"answer": answer.strip()[:_LONGEST], "failed": failed is not None}
        self.write(command=[program, *arguments], seconds=round(time.monotonic() - began, 4), **said)
        if failed is not None:
            raise failed
        return answer

    def write(self, **entry: Any) -> None:
        """Append a line with the present time."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._file.write(json.dumps({"time": at, **entry}) + "\n")
        self._file.flush()
