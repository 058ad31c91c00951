"""Files of the future get times of the present, in the same order."""

import os
import time
from pathlib import Path

from artifact.run.file_times import bring_back

DAY_S = 86_400.0


def _file(path: Path, from_now_s: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (time.time() + from_now_s,) * 2)
    return path


def test_order_and_ties_stay_and_nothing_is_ahead_any_more(tmp_path: Path) -> None:
    at = 2 * DAY_S + time.time()
    order = [_file(tmp_path / f"results/{name}", 0.0) for name in "cabd"]
    for path, moment in zip(order, (at, at, at + 0.5, at + 7.0), strict=True):
        os.utime(path, (moment, moment))
    past = _file(tmp_path / "past", -3.0)
    kept = past.stat().st_mtime
    assert bring_back(tmp_path) == len(order)
    times = [path.stat().st_mtime for path in order]
    assert times[0] == times[1] < times[2] < times[3] <= time.time()
    assert past.stat().st_mtime == kept < times[0]
    assert bring_back(tmp_path) == 0


def test_hidden_folders_links_and_slight_differences_are_left_alone(tmp_path: Path) -> None:
    left = [_file(tmp_path / name, DAY_S) for name in (".venv/a", "x/.snakemake/b", "build/c")]
    slight = _file(tmp_path / "slight", 0.5)
    outside = _file(tmp_path.parent / f"{tmp_path.name}-outside", DAY_S)
    (tmp_path / "link").symlink_to(outside)
    before = [path.stat().st_mtime for path in (*left, slight, outside)]
    assert bring_back(tmp_path) == 0
    assert [path.stat().st_mtime for path in (*left, slight, outside)] == before
