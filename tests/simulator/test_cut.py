"""A run that ends before its jobs do is the beginning of the whole run."""

import numpy as np
import pytest
from test_against_naive import ORDERS, SCHEDULERS, instance
from toys import Cost, intervals

from rarlib.model.cluster import Cluster
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "decide"])
@pytest.mark.parametrize("order", ORDERS)
def test_a_run_that_is_cut_is_the_beginning_of_the_whole_run(order, compiled):
    """Whole seconds, so that ends, arrivals and the cut often fall together: ends of that instant count, starts not."""
    for number in range(20):
        rng = stream(number, "cut", order)
        nodes, jobs = instance(rng, (1, 2, 4))
        options = {"quantum": int(rng.choice([0, 0, 3])), "restart_s": int(rng.choice([0, 2])), "compiled": compiled}
        cluster = Cluster.of(nodes)
        whole = simulate(jobs, cluster, SCHEDULERS[order](), Cost(), **options)
        until = int(rng.integers(1, 2 + int(whole.finish_s.max())))
        run = simulate(jobs, cluster, SCHEDULERS[order](), Cost(), until_s=until, **options)
        # What is submitted at the end of the run, or could start then, does not start any more.
        started = whole.start_s < until
        ended = started & (whole.finish_s <= until)
        until = min(until, whole.finish_s.max())
        assert run.finished.tolist() == ended.tolist()
        assert run.finish_s.tolist() == pytest.approx(np.where(ended, whole.finish_s, np.nan), nan_ok=True)
        assert run.start_s.tolist() == pytest.approx(np.where(started, whole.start_s, np.nan), nan_ok=True)
        held = [(j, s, min(e, until), n, g) for j, s, e, n, g in intervals(whole) if s < until]
        assert intervals(run) == held
        rows = {(j, s, e) for j, s, e, _, _ in held}
        held_s = [sum(e - s for j, s, e in rows if j == row) for row in range(len(jobs))]
        gpu_s = [sum((e - s) * g for j, s, e, _, g in held if j == row) for row in range(len(jobs))]
        assert run.gpu_seconds.tolist() == gpu_s
        leaves = np.minimum(whole.finish_s, until)
        system_s = leaves - np.minimum(jobs.submit_s, until)
        assert run.queue_s.tolist() == (system_s - held_s).tolist()
        stints = [len({s for j, s, _ in rows if j == row}) for row in range(len(jobs))]
        lasting = started & (jobs.duration_s > 0)
        assert (1 + run.restarts)[lasting].tolist() == np.array(stints)[lasting].tolist()
        assert (run.useful_s + run.overhead_s).tolist() == held_s
        assert run.counters["end_s"] == until
        areas = system_s.sum(), run.queue_s.sum(), sum(gpu_s)
        assert tuple(run.counters[f"area_{name}"] for name in ("system", "waiting", "busy_gpus")) == areas
