"""What is said where Slurm is not, or a program of it fails."""

import pytest

from artifact.slurm.client import CLIENTS, Slurm, require_programs
from rarlib.model.errors import InputError


def program(folder, name, text):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def programs(tmp_path, monkeypatch):
    for name in CLIENTS:
        program(tmp_path, name, "true")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def test_missing_programs_are_named_with_a_remedy():
    with pytest.raises(InputError, match=r"Slurm: not installed: slurm-nowhere; sh tools/install_slurm\.sh installs"):
        require_programs(["sh", "slurm-nowhere"])


def test_the_words_of_a_program_that_fails_are_passed_on(programs):
    program(programs, "sbatch", "echo 'sbatch: error: no such partition' >&2; exit 1")
    with pytest.raises(InputError, match="sbatch: error: no such partition"):
        Slurm().call("sbatch")


def test_the_user_s_own_settings_do_not_change_what_is_asked(programs, monkeypatch):
    """SBATCH_PARTITION or SQUEUE_FORMAT of a shell would."""
    program(programs, "squeue", 'echo "$SQUEUE_FORMAT:$SLURM_CONF"')
    monkeypatch.setenv("SQUEUE_FORMAT", "%A")
    assert Slurm(programs / "slurm.conf").call("squeue") == f":{programs}/slurm.conf\n"
