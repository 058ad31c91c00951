"""Downloads from the first address with the right content: resumed where they stopped, checked, renamed into place."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rarlib.model.errors import InputError
from rarlib.traces.digest import verify_checksum
from rarlib.traces.sources import Source
from rarlib.traces.transfer import UnavailableError, transfer

_log = logging.getLogger(__name__)


class NowhereError(Exception):
    """No address of a source gives its file.

    Attributes:
        tried: why, one line for each address, in the order in which they were asked.
    """

    def __init__(self, tried: tuple[str, ...]) -> None:
        super().__init__("; ".join(tried))
        self.tried = tried


def download(
    source: Source, target: Path, *, progress: bool = True, answers: Callable[[str], bool] = lambda _: True
) -> Path:
    """Fetch one file to `target`; an earlier partial download beside it (`.part`) is continued.

    The addresses are asked in order until the content has the right checksum, so an address that sends something else
    costs time and nothing more.

    Args:
        source: the file wanted.
        target: where to put it.
        progress: whether to show a bar.
        answers: whether the host of an address is known to answer; others are not asked.

    Raises:
        NowhereError: no address gives the file, and the first one is dead.
        InputError: no address gives the file, and the first one broke off (kept, to be resumed), sent more than the
            source has or has the wrong checksum (both deleted); or the file cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target):
            if not target.is_file():  # another process may have fetched it meanwhile
                _from_first(source, target, progress, answers)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=target) from None
    return target


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """One process at a time: two writing to one partial file would damage it."""
    import fcntl  # noqa: PLC0415 - not every platform that can read traces has it

    with target.with_name(f".{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _from_first(source: Source, target: Path, progress: bool, answers: Callable[[str], bool]) -> None:
    failures: list[UnavailableError | InputError] = []
    # Each address has a partial file of its own: two may send different files.
    parts = [target.with_name(f"{target.name}.part{number or ''}") for number in range(len(source.addresses))]
    for url, part in zip(source.addresses, parts, strict=True):
        try:
            if not answers(url):
                raise UnavailableError(f"{url}: its host cannot be reached")
            _fetch(url, part, source, progress)
        except (UnavailableError, InputError) as error:
            failures.append(error)
            continue
        for failure in failures:
            _log.warning("%s: %s", source.name, failure)
        if failures:
            _log.warning("%s: taken from %s, with the right checksum", source.name, url)
        part.replace(target)
        for other in parts:
            other.unlink(missing_ok=True)
        return
    if isinstance(failures[0], InputError):
        for failure in failures[1:]:
            _log.warning("%s: %s", source.name, failure)
        raise failures[0]
    raise NowhereError(tuple(map(str, failures)))


def _fetch(url: str, part: Path, source: Source, progress: bool) -> None:
    transfer(url, part, source, progress=progress)
    try:
        verify_checksum(part, source.digest, advice=f"the download of {url} is damaged and was deleted")
    except InputError:
        part.unlink()
        raise
