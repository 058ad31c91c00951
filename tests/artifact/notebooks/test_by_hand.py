"""A notebook that is run by hand, from whatever folder, leaves nothing behind."""

import hashlib
import os
import shutil
import subprocess
import sys

import pytest

from rarlib.model.project import ROOT

EXECUTE = ["-c", "from nbclient.cli import main; main()", "--output={made}", "{notebook}"]
"""What `jupyter execute` starts."""

PAPERMILL = ["-m", "papermill", "{notebook}", "{made}", "--no-progress-bar"]


def contents(folder):
    """Digest of every file, without the caches that Git ignores."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("explore/02-try-a-scheduler", PAPERMILL),
        pytest.param("learn/02-two-jobs-one-link", EXECUTE, marks=pytest.mark.release),
        pytest.param("figures/sjf-bco-fig5", EXECUTE, marks=pytest.mark.release),
    ],
)
def test_nothing_is_written_beside_the_notebook(name, program, tmp_path):
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    elsewhere, made = tmp_path / "elsewhere", tmp_path / "made.ipynb"
    elsewhere.mkdir()
    before = contents(tmp_path)
    command = [part.format(notebook=tmp_path / f"notebooks/{name}.ipynb", made=made) for part in program]
    around = {key: value for key, value in os.environ.items() if not key.startswith(("RARLIB_", "JPY_"))}
    around |= {"PYTHONPATH": str(ROOT), "RARLIB_OFFLINE": "1", "RARLIB_RESULTS": str(tmp_path / "none")}
    done = subprocess.run(
        [sys.executable, *command], cwd=elsewhere, env=around, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert [name for name, _ in contents(tmp_path).items() - before.items()] == ["made.ipynb"]
