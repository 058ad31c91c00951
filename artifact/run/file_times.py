"""Files changed in the future, because a clock was set back: Snakemake would refuse what is made from them."""

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

TOLERATED_S = 1.0
"""Clocks of a network's machines may differ by so much."""

_ORDER_S = 0.001


def bring_back(root: Path) -> int:
    """Set the times of all files of the future to just before the present; their order stays.

    Args:
        root: folder; what lies in it below a folder whose name begins with a dot, or in `build`, is left alone, and so
            are links and files of other users.

    Returns:
        Number of files whose time was set.
    """
    now = time.time()
    ahead = sorted((time_s, path) for path, time_s in _times(root) if time_s > now + TOLERATED_S)
    moments = sorted({time_s for time_s, _ in ahead})
    earlier = {moment: now - _ORDER_S * place for place, moment in enumerate(reversed(moments))}
    done = 0
    for time_s, path in ahead:
        try:
            os.utime(path, (earlier[time_s], earlier[time_s]))
        except PermissionError:
            continue
        done += 1
    return done


def _times(root: Path) -> Iterator[tuple[Path, float]]:
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if not name.startswith(".") and name != "build"]
        for name in names:
            path = Path(folder, name)
            about = path.lstat()
            if stat.S_ISREG(about.st_mode):
                yield path, about.st_mtime
