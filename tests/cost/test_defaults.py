"""What cost models assume where nothing is said, and the numbers that they take from published code."""

import dataclasses

import numpy as np
import pytest

from rarlib.cost.goodput.applications import APPLICATIONS, AS_IN_SIA, SharedCluster
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.linked import LinkedCost
from rarlib.cost.parameter_server.workload import MAX_SERVERS, MAX_WORKERS, PsJobs
from rarlib.cost.pipelined import PipelinedCost
from rarlib.cost.ring import PhysicalRingCost, RingCost, SlottedRingCost
from rarlib.model.errors import InputError

DEFAULTS = {
    RingCost: {"alpha": 0.3, "xi": 1.0, "share": 0.05, "overhead": 0.005, "gbps": 10.0},
    PhysicalRingCost: {"overhead_s": 0.0, "alpha": 0.3, "xi": 1.0, "slot_s": 0.0},
    SlottedRingCost: {"alpha": 0.0, "xi": 1.0},
    SpanningNetwork: {"alpha": 0.3, "xi": 1.0, "overhead_s": 0.001, "contended": True, "gbps": 10.0},
    LinkedCost: {"alpha": 0.0, "ecmp_seed": 0, "grade": "law"},
    PipelinedCost: {"inside": 1e10, "profiles": None, "memory": None},
}
"""What the papers leave out: links of 10 Gbit/s, 0.3 lost for each further job, and nothing that is not asked for."""


@pytest.mark.parametrize("model", DEFAULTS, ids=lambda model: model.__name__)
def test_models_assume_no_more_than_is_said(model):
    """A model that assumed a slot, a cap or another link would change all results of those who leave it open."""
    found = {each.name: each.default for each in dataclasses.fields(model) if each.default is not dataclasses.MISSING}
    found.pop("degradation", None)
    assert found == DEFAULTS[model]


PUBLISHED = """
cifar10      100   50   30  1.8
bert           2  120  120  1.2
deepspeech2   80   25   25  1.2
yolov3        50   80   45  1.2
imagenet      90  250  250  1.2
ncf           10   15   30  1.5
gpt_pmp        2   30   30  1.0
"""
"""As in Sia's artifact: epochs, seconds of a start, the same as Sia believes, slow-down in a shared cluster."""


def test_applications_are_the_published_ones():
    """Digit by digit, and no application more; the pipelines of GPT are in the same file of the artifact."""
    rows = {name: tuple(map(float, rest)) for name, *rest in map(str.split, PUBLISHED.strip().splitlines())}
    found = APPLICATIONS.items()
    assert {n: (a.epochs, a.restart_s, a.believed_restart_s, a.slowdown) for n, a in found} == rows
    assert {name: dict(app.largest_local) for name, app in found if app.largest_local} == {"deepspeech2": {"rtx": 57}}
    assert {name: (dict(app.stages), app.microbatches) for name, app in found if app.stages} == {
        "gpt_pmp": ({"rtx": 8, "a100": 2}, 48)
    }
    assert SharedCluster() == AS_IN_SIA == (True, None)


def test_jobs_with_parameter_servers_are_predicted_exactly_unless_it_is_said():
    """One worker and one server on GPUs, of at most 4 and 10 as in the laboratory's code; 5 cores for a CPU worker."""
    plain = PsJobs.build(["resnet50", "vgg11"], 10.0)
    said = PsJobs.build(["resnet50", "vgg11"], 10.0, 1, 1, on_cpu=False, switch=0.0, cores=5, most_workers=4)
    for field in dataclasses.fields(PsJobs):
        np.testing.assert_array_equal(getattr(plain, field.name), getattr(said, field.name))
    assert (MAX_WORKERS, MAX_SERVERS) == (4, 10)
    for field, most in (("workers", 4), ("servers", 10)):
        assert getattr(PsJobs.build(["vgg11"], 1.0, **{field: most}), field).tolist() == [most]
        for value in (0, most + 1):
            with pytest.raises(InputError, match=f"field {field}: job 0 must have 1 to {most}, found {value}"):
                PsJobs.build(["vgg11"], 1.0, **{field: value})
    rng = [np.random.default_rng(3) for _ in range(2)]
    off, same = plain.mispredicted(rng[0]), plain.mispredicted(rng[1], error=0.05, guess=1.0)
    assert off.predicted_steps.tolist() == same.predicted_steps.tolist()
    assert off.guessed_steps.tolist() == same.guessed_steps.tolist()
