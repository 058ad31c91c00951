from collections.abc import Callable

import numpy as np
import pytest

from rarlib.traces.formats import tiresias
from rarlib.traces.load import Trace

HEAD = b"job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"


def test_columns() -> None:
    jobs = tiresias.read(HEAD + b"7,8,30,133,vgg11,147,23\n3,1,0,606,vgg19,164,30\n", "j.csv").jobs
    assert (jobs.job_id.tolist(), jobs.gpus.tolist(), jobs.duration_s.tolist()) == (["3", "7"], [1, 8], [164, 147])
    assert jobs.application.tolist() == ["vgg19", "vgg11"]


@pytest.mark.real
def test_published_mix(real: Callable[[str], Trace]) -> None:
    jobs = real("tiresias-60").jobs
    assert dict(zip(*np.unique(jobs.gpus, return_counts=True), strict=True)) == {1: 30, 2: 10, 4: 10, 8: 10}
