"""Small studies in folders of their own."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from artifact.study.new_folder import study_files
from rarlib.records.outputs import write_new_folder

LAWS = """arrivals: {per_hour: 60}
sizes: {1: 0.6, 2: 0.2, 4: 0.2}
durations: {1: {law: lognormal, median_s: 300, sigma: 1.2}}
"""


@pytest.fixture
def new_folder(tmp_path: Path) -> Path:
    """A study as `rarlib new study` writes it."""
    write_new_folder(tmp_path / "my-study", study_files("my-study"))
    return tmp_path / "my-study"


def changed(folder: Path, **entries: Any) -> Path:
    """Replace entries of a study; None removes one."""
    file = folder / "study.yaml"
    table = yaml.safe_load(file.read_text()) | entries
    file.write_text(yaml.safe_dump({key: value for key, value in table.items() if value is not None}, sort_keys=False))
    return folder


@pytest.fixture
def small(new_folder: Path) -> Path:
    """Two schedulers on a workload, two looks."""
    (new_folder / "laws.yaml").write_text(LAWS)
    return changed(
        new_folder,
        schedulers={"mine": {"file": "scheduler.py"}, "fifo": {}},
        traces=None,
        workloads={"drawn": {"file": "laws.yaml", "jobs": 12}},
        clusters={"one": "1x4"},
        seeds={"first": 2, "step": 1, "most": 3},
        metrics=["mean_jct"],
        statements={"jct": {"better": "mine", "worse": "fifo", "metric": "mean_jct"}},
    )
