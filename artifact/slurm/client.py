"""Slurm's client programs: found, called, and their errors told in a line."""

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from rarlib.model.errors import InputError

CLIENTS = ("sbatch", "scancel", "scontrol", "sinfo", "squeue")
INSTALL = "sh tools/install_slurm.sh installs Debian's packages"
_LONGEST_S = 120.0


def require_programs(names: Iterable[str]) -> dict[str, str]:
    """Paths of programs; daemons are also looked for where an ordinary user's shell does not look.

    Raises:
        InputError: naming the programs that are missing, and what installs them.
    """
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin", "/sbin"])
    found = {name: shutil.which(name, path=places) for name in names}
    if missing := [name for name, path in found.items() if path is None]:
        raise InputError(f"not installed: {', '.join(missing)}; {INSTALL}", file="Slurm")
    return {name: path for name, path in found.items() if path is not None}


class UnreachableError(InputError):
    """A program of Slurm has failed or not answered."""


class Slurm:
    """A Slurm as its client programs reach it.

    Args:
        configuration: its slurm.conf; None: the one that this machine is set up for.

    Raises:
        InputError: if client programs are missing.
    """

    def __init__(self, configuration: Path | None = None) -> None:
        self._programs = require_programs(CLIENTS)
        # These variables of the user's environment would change what the programs do and print.
        ours = ("SBATCH_", "SQUEUE_", "SLURM_TIME_FORMAT")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        self.environment = kept | ({} if configuration is None else {"SLURM_CONF": str(configuration)})

    def call(self, program: str, *arguments: str, text: str = "") -> str:
        """What a program prints.

        Raises:
            UnreachableError: with the program's own words if it fails, or if it does not answer.
        """
        try:
            done = subprocess.run(
                [self._programs[program], *arguments],
                input=text,
                capture_output=True,
                text=True,
                errors="replace",
                env=self.environment,
                timeout=_LONGEST_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise UnreachableError(f"{program} gave no answer within {_LONGEST_S:.0f} s", file="Slurm") from None
        if done.returncode:
            raise UnreachableError(f"{program}: {done.stderr.strip() or 'failed without a word'}", file="Slurm")
        return done.stdout

    def version(self) -> str:
        """Name and version as Slurm states them, such as `slurm 22.05.8`."""
        return self.call("sinfo", "--version").strip().replace("slurm-wlm", "slurm")
