"""The engine against the naive simulator, which is told the decisions of every scheduler that is found."""

import pytest
from hypothesis import given
from replay import Replay, plain, write_down

from rarlib.simulator.engine import simulate
from tests.rarlib.property.instances import NAMES, PRICED, SLOTTED, bounded, instances, kinds_for, scheduler_in

REPLAYED = [name for name in NAMES if kinds_for(name, *PRICED, *SLOTTED)]


def test_what_the_naive_simulator_cannot_do():
    """Three schedulers and no more run under trainings only, and their runs are checked otherwise."""
    assert set(NAMES) - set(REPLAYED) <= {"sia", "concert", "aiturbo"}


@pytest.mark.parametrize("name", REPLAYED)
def test_the_same_decisions_have_the_same_consequences(name):
    """Finishes, waiting, GPU-seconds and restarts, on prices with contention, racks, speeds, slots and curves."""

    @bounded(10)
    @given(instances(kinds_for(name, *PRICED, *SLOTTED)))
    def search(instance):
        script, jobs = [], instance.jobs()
        run = simulate(
            jobs,
            instance.cluster,
            write_down(scheduler_in(name, 1.0, instance.kind), script),
            instance.cost(),
            quantum=instance.quantum,
            whole_slots=instance.whole_slots,
            restart_s=instance.restart_s,
            compiled=False,
        )
        table = list(zip(jobs.submit_s.tolist(), jobs.gpus.tolist(), run.prices.work.tolist(), strict=True))
        naive = Replay(
            table,
            instance.cluster.gpus.tolist(),
            quantum=instance.quantum,
            whole_slots=instance.whole_slots,
            slot=float(run.prices.slot_s),
            prices=plain(run.prices),
            kinds=instance.cluster.gpu_type,
            script=script,
        ).run()
        for column, other in (("start_s", "start"), ("finish_s", "finish"), ("queue_s", "queue")):
            expected = [getattr(job, other) for job in naive.jobs]
            assert getattr(run, column).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-6), column
        assert run.gpu_seconds.tolist() == pytest.approx([job.attained for job in naive.jobs], rel=1e-9, abs=1e-5)
        assert run.restarts.tolist() == [job.restarts for job in naive.jobs]

    search()
