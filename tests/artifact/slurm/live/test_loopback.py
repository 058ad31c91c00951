"""A Slurm is brought up for real, and taken down without a trace."""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from artifact.slurm.compare import starts
from artifact.slurm.excerpt import Excerpt
from artifact.slurm.loopback import Loopback
from artifact.slurm.replay import REGIMES, live_through
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from tests.rarlib.simulator.toys import jobs_of

pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif(shutil.which("sbatch") is None, reason="needs Slurm: sh tools/install_slurm.sh"),
]


@pytest.fixture
def folder():
    """A short path, as MUNGE's socket needs."""
    with tempfile.TemporaryDirectory(prefix="rarlib-", dir="/tmp") as name:
        yield Path(name)


def test_gangs_run_and_daemons_end(folder):
    with Loopback(folder, [2, 2, 2]) as loopback:
        daemons = [process.pid for process in loopback._daemons.values()]
        assert len(daemons) == 5
        assert loopback.slurm.version().startswith("slurm ")
        said = loopback.slurm.call("sbatch", "--ntasks=5", "--wait", f"--output={folder}/said", "--wrap=hostname")
        assert "Submitted" in said
        loopback.slurm.call("sbatch", "--ntasks=6", "--output=/dev/null", "--wrap=sleep 1000")
        time.sleep(2.0)
        with pytest.raises(InputError, match="sbatch: sbatch: error:"):
            loopback.slurm.call("sbatch", "--partition=nowhere", "--wrap=hostname")
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(folder) not in running


@pytest.mark.parametrize("regime", [REGIMES[0], REGIMES[1]], ids=lambda regime: regime.name)
def test_a_handful_of_jobs_start_as_ours_would(folder, regime):
    """2 servers of 2: the third job waits for the first two; the fourth is backfilled only if its limit allows it."""
    table = [(0, 2, 6), (0.5, 1, 3), (1, 4, 2), (1.5, 1, 2)]
    excerpt = Excerpt(jobs_of(table), Cluster.parse("2x2"), 600.0, "by hand")
    history = live_through(excerpt, regime, 1, folder)
    frame = starts(excerpt, regime, history, 1)
    assert frame["slurm_start_s"].iloc[2] >= 6.0
    # How late they start is no matter on a busy machine; that ours would have started each of them is.
    assert frame["wanted_s"].notna().all()
    assert frame["same_gpus"].all()
