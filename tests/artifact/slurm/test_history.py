"""The log of a controller, line by line as Slurm 22.05 writes it."""

import pytest

from artifact.slurm.history import cpu_counts, node_numbers, read_history
from rarlib.model.errors import InputError

LOG = """\
[2026-03-01T10:00:00.250] slurmctld: slurmctld version 22.05.8 started on cluster loopback
[2026-03-01T10:00:10.500] _slurm_rpc_submit_batch_job: JobId=7 InitPrio=4294901759 usec=739
[2026-03-01T10:00:10.900] _slurm_rpc_submit_batch_job: JobId=8 InitPrio=4294901758 usec=512
[2026-03-01T10:00:11.000] sched/backfill: _attempt_backfill: beginning
[2026-03-01T10:00:11.000] sched/backfill: _start_job: Started JobId=8 in main on n[2-3]
[2026-03-01T10:00:12.000] sched: Allocate JobId=7 NodeList=n1 #CPUs=2 Partition=main
[2026-03-01T10:00:15.250] _job_complete: JobId=8 WEXITSTATUS 0
[2026-03-01T10:00:15.251] _job_complete: JobId=8 done
[2026-03-01T10:00:16.000] _job_complete: JobId=7 done
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "log").write_text(LOG)
    (tmp_path / "7").write_text("2 n1\n")
    (tmp_path / "8").write_text("4,1 n[2-3]\n")
    return tmp_path


def test_times_order_and_gpus(folder):
    history = read_history(folder / "log", folder, [7, 8], "slurm 22.05.8")
    assert history.submit_s.tolist() == pytest.approx([0.0, 0.4])
    assert history.start_s.tolist() == pytest.approx([1.5, 0.5])
    assert history.end_s.tolist() == pytest.approx([5.5, 4.751])
    assert history.looks_s.tolist() == pytest.approx([0.5])
    assert history.backfilled.tolist() == [False, True]
    assert history.placement == (((0, 2),), ((1, 4), (2, 1)))


def test_a_job_without_an_end_is_named(folder):
    (folder / "log").write_text(LOG.replace("JobId=7 done", "JobId=7 WEXITSTATUS 0"))
    with pytest.raises(InputError, match="does not say that job 7 was ended"):
        read_history(folder / "log", folder, [7, 8], "")


def test_a_job_that_does_not_say_its_gpus_is_named(folder):
    (folder / "8").write_text("4 n[2-3]\n")
    with pytest.raises(InputError, match=r"8: does not say which GPUs the job held"):
        read_history(folder / "log", folder, [7, 8], "")


def test_lists_of_nodes_and_of_counts():
    assert node_numbers("n1") == [0]
    assert node_numbers("n[1-3,7,10-11]") == [0, 1, 2, 6, 9, 10]
    assert cpu_counts("8(x2),3") == [8, 8, 3]
