from collections.abc import Callable

import numpy as np
import pytest

from rarlib.traces.formats import hydra
from rarlib.traces.load import Trace

HEAD = b",job_name,norm_job_submit_time,ddl,T4,P100,V100\n"


def test_columns() -> None:
    jobs = hydra.read(HEAD + b"0,b,30.0,inf,90.0,60.0,30.0\n1,a,5.0,100.0,80.0,70.0,60.0\n", "c.csv").jobs
    assert (jobs.job_id.tolist(), jobs.submit_s.tolist(), jobs.duration_s.tolist()) == (["a", "b"], [0, 25], [80, 90])
    assert jobs.gpus.tolist() == [1, 1]


@pytest.mark.real
def test_published_sample(real: Callable[[str], Trace]) -> None:
    """Counted by hand from the file: 2,000 jobs over 3.4 days, half of them done within four minutes."""
    trace = real("pai-sample")
    jobs = trace.jobs
    assert (len(jobs), jobs.submit_s[-1], jobs.duration_s.min()) == (2000, 291_674.0, 6.0)
    assert np.median(jobs.duration_s) == pytest.approx(236, abs=2)
    assert "T4" in trace.provenance["note"]
