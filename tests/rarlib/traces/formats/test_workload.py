from collections import Counter
from collections.abc import Callable

import pytest

from rarlib.model.errors import InputError
from rarlib.traces.formats import workload
from rarlib.traces.load import Trace

HEAD = b"name,time,application,num_replicas,batch_size\n"


def test_made_up_duration_is_the_middle_of_the_class_over_the_gang() -> None:
    # sqrt(1 h x 10 h) on 2 GPUs = 5692 s; sqrt(100 x 1000) on 4 = 284605 s.
    reading = workload.read(HEAD + b"bert-0,9.5,bert,2,48\nimagenet-1,3,imagenet,4,400\n", "w.csv")
    assert reading.jobs.job_id.tolist() == ["imagenet-1", "bert-0"]
    assert reading.jobs.submit_s.tolist() == [0.0, 6.5]
    assert reading.jobs.duration_s.tolist() == [284605.0, 5692.0]
    assert "no running times" in reading.note


def test_requests_and_what_may_be_changed_are_kept() -> None:
    # Rigid policies run the requested batch; Sia's mixed workloads have a sixth column.
    plain = workload.read(HEAD + b"bert-0,3,bert,2,48\n", "w.csv").jobs
    assert (plain.batch_size.tolist(), plain.adaptivity.tolist()) == ([48], [""])
    head = HEAD.replace(b"size\n", b"size,category\n")
    mixed = workload.read(head + b"bert-0,3,bert,2,48,rigid\nbert-1,4,bert,2,24,scale-gpus\n", "w.csv").jobs
    assert mixed.adaptivity.tolist() == ["rigid", "scale-gpus"]


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (b"x-0,1,resnet,2,1\n", "row 2, field application: must be one of cifar10"),
        (b"x-0,1,bert,0,1\n", "row 2, field num_replicas: must be at least 1"),
        (b"x-0,1,bert,1,1.5\n", "row 2, field batch_size: must be a whole number"),
        (b"x-0,-1,bert,1,1\n", "row 2, field time: must not be negative"),
        (b"x-0,1,bert,1,1\nx-0,2,bert,1,1\n", "row 3, field name: duplicate id x-0"),
    ],
)
def test_bad_rows_are_named(row: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=f"w.csv, {complaint}"):
        workload.read(HEAD + row, "w.csv")


@pytest.mark.real
def test_published_counts(real: Callable[[str], Trace]) -> None:
    # Pooled application counts of Sia's four Philly workloads, counted independently.
    pooled = Counter(a for i in (2, 4, 6, 8) for a in real(f"sia-philly-{i}").jobs.application)
    assert pooled == {"cifar10": 494, "deepspeech2": 65, "bert": 42, "yolov3": 26, "imagenet": 13}
    realistic = [real(f"pollux-realistic-{i}").jobs.gpus for i in (2, 4, 6, 8)]
    assert sum(int((g == 1).sum()) for g in realistic) == 600
