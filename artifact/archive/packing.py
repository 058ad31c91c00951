"""A folder of files as an archive with the same bytes everywhere: sorted names, one time, no owner, two modes."""

import io
import tarfile
import time
import zipfile
from collections.abc import Mapping

from artifact.archive.swhid import SourceFile

_MODES = {False: 0o644, True: 0o755}
_UNIX = 3
_EARLIEST = 315532800
"""1980-01-01: a zip file knows no earlier time."""


def as_tar(files: Mapping[str, SourceFile], top: str, seconds: int) -> bytes:
    """A tar archive (POSIX pax).

    Args:
        files: by path.
        top: name of the folder that they are unpacked to.
        seconds: time of every file, in seconds since 1970.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(files):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime = len(files[name].data), seconds
            entry.mode = _MODES[files[name].executable]
            tar.addfile(entry, io.BytesIO(files[name].data))
    return packed.getvalue()


def as_zip(files: Mapping[str, SourceFile], top: str, seconds: int) -> bytes:
    """A zip archive of the same files; arguments as of `as_tar`."""
    packed = io.BytesIO()
    moment = time.gmtime(max(seconds, _EARLIEST))[:6]
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{top}/{name}", moment)
            entry.create_system, entry.compress_type = _UNIX, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | _MODES[files[name].executable]) << 16
            archive.writestr(entry, files[name].data)
    return packed.getvalue()
