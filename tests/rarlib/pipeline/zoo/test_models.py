"""Analytic profiles: sizes against published counts, closed forms and layers computed by hand; time by arithmetic."""

import pytest

from rarlib.model.errors import InputError
from rarlib.pipeline.graph import read_graph
from rarlib.pipeline.zoo.models import profile
from rarlib.pipeline.zoo.network import WINOGRAD, Device
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import read_sources

PERFECT = Device("perfect", 1.0, 1e300, {"convolution": 1.0, "matrix": 1.0, "elementwise": 1.0}, 1.0, 0.0)
"""Seconds are operations: nothing else takes time."""


def lstm_weights(width, hidden, biases=2):
    return 4 * (width * hidden + hidden * hidden + biases * hidden)


def gnmt_weights(depth, width=1024, tokens=32320):
    """Three tables, the bidirectional layer, the wide layers (2w -> w), the plain ones, attention, output bias."""
    wide, plain = lstm_weights(2 * width, width), lstm_weights(width, width)
    encoder = 2 * plain + wide + (depth - 2) * plain
    decoder = plain + (2 * width**2 + width) + (depth - 1) * wide
    return 3 * tokens * width + tokens + encoder + decoder


PUBLISHED = {
    "vgg16": 138_357_544,
    "alexnet": 61_100_840,
    "resnet50": 25_557_032,
    "resnet101": 44_549_160,
    "resnext50": 25_028_904,
    "gpt2-small": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_parameters_are_those_published(name):
    assert profile(name).parameter_bytes.sum() == 4 * PUBLISHED[name]


@pytest.mark.parametrize(("name", "depth"), [("gnmt", 4), ("gnmt_large", 8)])
def test_parameters_of_gnmt(name, depth):
    """The sum over its parts, written down without the graph."""
    assert profile(name).parameter_bytes.sum() == 4 * gnmt_weights(depth)


def test_parameters_of_awd_lm():
    """The authors print 24 million; the exact sum follows from the widths."""
    exact = 10_000 * 400 + lstm_weights(400, 1150) + lstm_weights(1150, 1150) + lstm_weights(1150, 400) + 10_000
    assert profile("awd-lm").parameter_bytes.sum() == 4 * exact
    assert exact == pytest.approx(24e6, rel=0.01)


def test_parameters_of_s2vt():
    """The file of the published weights has 349,436,137 bytes, of which a few thousand are its description."""
    assert 0 < 349_436_137 - profile("s2vt").parameter_bytes.sum() < 20_000


def outputs(graph, word):
    return [int(layer.activation_bytes) for layer in graph.layers if layer.description.startswith(word)]


def test_activations_of_vgg_by_hand():
    """Blocks of 224, 112, 56, 28 and 14 pixels."""
    shapes = [(64, 224)] * 2 + [(128, 112)] * 2 + [(256, 56)] * 3 + [(512, 28)] * 3 + [(512, 14)] * 3
    assert outputs(profile("vgg16", 2), "conv") == [4 * 2 * c * side * side for c, side in shapes]
    assert outputs(profile("vgg16", 2), "linear") == [4 * 2 * width for width in (4096, 4096, 1000)]


def test_activations_of_gnmt_by_hand():
    """A layer returns its sequence and the last two states; the decoder sees all tokens but the last."""
    sequence, state = 4 * 8 * 1024, 4 * 2 * 8 * 1024
    found = outputs(profile("gnmt", 8), "lstm")
    assert found == [48 * sequence + state] * 3 + [47 * sequence + state] * 3
    assert outputs(profile("gnmt", 8), "attention") == [2 * 47 * sequence + state + 4 * 8 * 47 * 48]


@pytest.mark.parametrize(
    ("name", "billions"),
    [("vgg16", 15.47), ("resnet50", 4.09), ("resnet101", 7.80), ("resnext50", 4.23), ("alexnet", 0.71)],
)
def test_multiplications_are_those_published(name, billions):
    """Torchvision lists them per image, in 10^9; Winograd's saving is undone."""
    graph = profile(name, 1, PERFECT)
    saved = [WINOGRAD if "3x3, stride 1)" in layer.description else 1.0 for layer in graph.layers]
    operations = [s * layer.forward_s for s, layer in zip(saved, graph.layers, strict=True)]
    assert sum(operations) / 2e9 == pytest.approx(billions, abs=0.006)


def test_arithmetic_of_a_transformer_in_closed_form():
    """24 s d^2 + 4 s^2 d for a block and 2 s d V for the output."""
    s, d, blocks, vocabulary = 1024, 768, 12, 50_257
    graph = profile("gpt2-small", 1, PERFECT)
    assert graph.forward_s.sum() == pytest.approx(blocks * (24 * s * d**2 + 4 * s**2 * d) + 2 * s * d * vocabulary)


def test_unknown_model():
    with pytest.raises(InputError, match="unknown model 'vgg'; known: vgg16"):
        profile("vgg")


MODELS = ("vgg16", "alexnet", "resnet50", "resnet101", "resnext50", "gnmt")


@pytest.fixture(params=MODELS)
def both(request):
    """A model's analytic and measured profile."""
    found = at_hand(read_sources()[f"pipedream-{request.param}"][0])
    if found is None:
        pytest.skip("no measured profile at hand; set RARLIB_MIRROR or run: rarlib sources fetch")
    measured = read_graph(found.path)
    inputs = [layer.name for layer in measured.layers if layer.description.startswith("Input")]
    return profile(request.param), measured.without(inputs)


def weighted(graph):
    """Sizes of the layers that have weights; the largest first, since the orders differ."""
    sizes = [(layer.parameter_bytes, layer.activation_bytes) for layer in graph.layers if layer.parameter_bytes]
    return sorted(sizes, reverse=True)


@pytest.mark.real
def test_weights_are_the_same_layer_by_layer(both):
    """To the byte."""
    ours, theirs = both
    assert [w for w, _ in weighted(ours)] == [w for w, _ in weighted(theirs)]


@pytest.mark.real
def test_activations_agree_layer_by_layer(both):
    """Exact for images. GNMT's decoder table was measured on all 48 tokens, the rest of the decoder on 47."""
    ours, theirs = both
    for (_, mine), (_, other) in zip(weighted(ours), weighted(theirs), strict=True):
        assert mine == pytest.approx(other, rel=0 if ours.minibatch != 32 else 1 / 47 + 1e-9)


@pytest.mark.real
def test_times_agree_within_a_factor_of_two(both):
    """Forward and backward of the whole model; the device is not fitted to them."""
    ours, theirs = both
    for name in ("forward_s", "backward_s"):
        ratio = getattr(ours, name).sum() / getattr(theirs, name).sum()
        assert 0.5 < ratio < 2.0
