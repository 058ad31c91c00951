"""Without a compiler the same code runs as plain Python and must write the same files."""

import hashlib
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
if {plain}:
    sys.modules["numba"] = None
sys.path.insert(0, {folder!r})
from test_plain_python import schedules
from rarlib.model.jit import numba
assert (numba is None) == {plain}
print(schedules())
"""


def schedules():
    """Digest of every discipline's files on a contended instance, of one planner's and of a genetic search's."""
    from rarlib.cost.ring import RingCost  # noqa: PLC0415 (imported after numba is hidden)
    from rarlib.model.cluster import Cluster  # noqa: PLC0415
    from rarlib.model.jobs import Jobs  # noqa: PLC0415
    from rarlib.model.seeds import stream  # noqa: PLC0415
    from rarlib.schedulers.fifo import Fifo  # noqa: PLC0415
    from rarlib.schedulers.las import Las  # noqa: PLC0415
    from rarlib.schedulers.list_scheduling import ListScheduling  # noqa: PLC0415
    from rarlib.schedulers.pollux import Pollux  # noqa: PLC0415
    from rarlib.schedulers.sjf import Sjf  # noqa: PLC0415
    from rarlib.schedulers.srtf import Srtf  # noqa: PLC0415
    from rarlib.simulator.engine import simulate  # noqa: PLC0415

    rng = stream(2, "plain")
    jobs = Jobs.build(
        submit_s=rng.integers(0, 60, 80), gpus=rng.choice([1, 2, 4], 80), duration_s=rng.integers(0, 40, 80)
    )
    digest = hashlib.sha256()
    for scheduler in (
        Fifo(placement="random"),
        Sjf(placement="pack"),
        Srtf(placement="spread"),
        Las(levels=(8.0, 64.0)),
        ListScheduling(),
        Pollux(population=4, generations=2, round_s=60.0),
    ):
        run = simulate(jobs, Cluster.of([4, 2, 2]), scheduler, RingCost(share=0.25), restart_s=1.0)
        digest.update(run.jobs_frame().to_csv().encode() + run.allocations_frame().to_csv().encode())
    return digest.hexdigest()


def test_same_files_without_a_compiler():
    """A feature that only exists compiled, or integers that wrap differently, would show here."""
    folder = str(Path(__file__).parent)
    plain, compiled = (
        subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", SCRIPT.format(plain=plain, folder=folder)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for plain in (True, False)
    )
    assert len(plain) == 64
    assert plain == compiled
