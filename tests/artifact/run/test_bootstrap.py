"""Building the environment: refuses what cannot work, and never takes half an environment for a whole one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
STAMP = ".venv/.built-from-lock"
# Stands in for uv: makes a real, empty environment and installs nothing; fails at installing when told to.
UV = """#!/bin/sh
if [ "$1 $2 $3" = "venv --quiet --python" ]; then exec "$4" -m venv --without-pip "$5"; fi
test ! -e break-off
"""


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "workflow/scripts").mkdir(parents=True)
    shutil.copy(ROOT / "workflow/scripts/bootstrap.sh", tmp_path / "workflow/scripts")
    shutil.copytree(ROOT / "rarlib/model", tmp_path / "rarlib/model")
    shutil.copy(ROOT / "rarlib/__init__.py", tmp_path / "rarlib")
    (tmp_path / "requirements.lock").write_text("# empty\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/uv").write_text(UV)
    (tmp_path / "bin/uv").chmod(0o755)
    return tmp_path


def build(checkout, **variables):
    environment = {"PATH": f"{checkout / 'bin'}:/usr/bin:/bin", "PYTHON": sys.executable} | variables
    command = ["sh", "workflow/scripts/bootstrap.sh"]
    return subprocess.run(command, cwd=checkout, env=environment, text=True, capture_output=True, check=False)


def test_built_environment_finds_rarlib_and_is_kept(checkout):
    """Plain `jupyter` or `snakemake` inside it must import the package from the checkout, and the next call is free."""
    assert build(checkout).returncode == 0
    where = subprocess.run(
        [checkout / ".venv/bin/python", "-I", "-c", "import rarlib; print(rarlib.__file__)"],
        cwd="/",
        text=True,
        capture_output=True,
        check=True,
    )
    assert Path(where.stdout.strip()).is_relative_to(checkout)
    (checkout / ".venv/kept").touch()
    assert build(checkout).returncode == 0
    assert (checkout / ".venv/kept").exists()


def test_broken_off_build_shows_its_log_and_is_not_taken_for_ready(checkout):
    (checkout / "break-off").touch()
    # The plain path fails as well: the lock asks for a package that does not exist on an index that is not there.
    (checkout / "requirements.lock").write_text("no-such-package==1.0 --hash=sha256:" + "0" * 64 + "\n")
    done = build(checkout, PIP_NO_INDEX="1")
    assert done.returncode == 1 and len((done.stdout + done.stderr).splitlines()) < 20
    assert "last lines of build/setup.log" in done.stderr and "no-such-package" in done.stderr
    assert not (checkout / STAMP).exists()
    (checkout / "break-off").unlink()
    assert build(checkout).returncode == 0
    assert (checkout / STAMP).exists()


def test_changed_lock_builds_anew(checkout):
    build(checkout)
    (checkout / ".venv/old").touch()
    (checkout / "requirements.lock").write_text("# changed\n")
    assert build(checkout).returncode == 0
    assert not (checkout / ".venv/old").exists()


def test_environment_is_not_rebuilt_with_its_own_python(checkout):
    """`make` puts .venv first on the path; the Python found there vanishes with the old environment."""
    build(checkout)
    (checkout / "requirements.lock").write_text("# changed\n")
    path = f"{checkout / '.venv/bin'}:{checkout / 'bin'}:/usr/bin:/bin"
    done = build(checkout, PATH=path, PYTHON="python3")
    assert done.returncode == 0, done.stderr
    assert (checkout / STAMP).exists()


def test_unfit_python_is_named(checkout):
    old = checkout / "bin/old-python"
    old.write_text("#!/bin/sh\necho 3.9\n")
    old.chmod(0o755)
    done = build(checkout, PYTHON=str(old))
    assert done.returncode != 0
    assert "Python 3.11, 3.12 or 3.13 is needed" in done.stderr
    assert "3.9" in done.stderr
    assert not (checkout / ".venv").exists()
