"""The models against the step times they are fitted to, and against what the source says of CPUs."""

import math

import numpy as np
import pytest

from rarlib.cost.parameter_server.models import (
    POINTS,
    STEP_S,
    WORKER_EFFICIENCY,
    model_number,
    models,
)
from rarlib.cost.parameter_server.speed import step_s
from rarlib.model.errors import InputError


@pytest.mark.parametrize("name", STEP_S)
def test_fits_reproduce_the_published_step_times(name):
    """Coefficients of at least 0 cannot follow a super-linear speed-up; 15 % is how far the worst point is off."""
    model, (workers, servers) = models()[model_number(name)], np.array(POINTS).T
    assert model.name == name
    fitted = step_s(model.theta, model.batch, workers, 0, servers, model.slowdown)
    np.testing.assert_allclose(fitted, STEP_S[model.name], rtol=0.15)


PUBLISHED = """
vgg11       -10.73  .812   9.701
vgg19       -12.20  .893  10.60
googlenet   -19.01  .606  16.68
alexnet     -11.08  .934   9.498
inception4  -15.93  .791  13.45
resnet50    -11.13 1.050   9.400
resnet101   -10.45  .972   9.179
resnet152   -12.04 1.033  10.12
"""
"""CPU workers as in the laboratory's code: a, b, d of e(x) = a exp(-b x) + d."""


def test_cpu_efficiencies_are_the_published_ones():
    """Digit by digit, and no model more."""
    rows = {name: tuple(map(float, rest)) for name, *rest in map(str.split, PUBLISHED.strip().splitlines())}
    assert {name: tuple(curve) for name, curve in WORKER_EFFICIENCY.items()} == rows
    assert {model.name: tuple(model.efficiency) for model in models()} == rows
    for name, (a, b, d) in rows.items():
        for cores in (1, 2, 5, 16):
            speed = WORKER_EFFICIENCY[name].at(cores)
            assert speed == pytest.approx(a * math.exp(-b * cores) + d)
            of_five = a * math.exp(-b * 5) + d
            model = models()[model_number(name)]
            assert model.slowdown_on(cores) == pytest.approx(model.slowdown * of_five / speed)


def test_cpu_efficiency_saturates_at_a_few_cores():
    """The source reads the curves so, and takes 5 cores per task for it."""
    for curve in WORKER_EFFICIENCY.values():
        assert 0.9 < curve.at(5) / curve.d < 1.0
        assert curve.at(1) < 0.6 * curve.d
        assert np.diff([curve.at(cores) for cores in range(1, 12)]).min() > 0
    model = models()[0]
    assert model.slowdown_on(5) == pytest.approx(model.slowdown)
    assert model.slowdown_on(2) > model.slowdown > model.slowdown_on(8)
    with pytest.raises(InputError, match="no CPU efficiency at 0 cores"):
        model.slowdown_on(0)


def test_a_model_that_was_left_out_is_named():
    """Its published coefficients give negative times."""
    with pytest.raises(InputError, match="unknown model 'vgg16'; known: vgg11, vgg19"):
        model_number("vgg16")
