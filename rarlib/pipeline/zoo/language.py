"""Language models, and a model that captions videos.

- AWD-LM: Merity, Keskar, Socher, ICLR 2018, arXiv 1708.02182; Penn Treebank, output tied to the embedding.
- S2VT: Venugopalan et al., ICCV 2015, doi 10.1109/ICCV.2015.515; 80 steps, features of VGG-16, the 46,168 words of the
  published weights.
- GPT-2: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019; output tied to the embedding.

Tied weights are counted with the embedding; a pipeline that has both ends on different workers must exchange them,
which is not modelled.
"""

from collections.abc import Sequence

from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.zoo import layers as nn
from rarlib.pipeline.zoo.network import Device, ModelBuilder, Tensor

PENN_TREEBANK, CAPTION_WORDS, BYTE_PAIRS = 10_000, 46_168, 50_257

AWD_LM = (400, 1150, 1150, 400)
"""Widths of the embedding and of the LSTM layers that follow."""

AWD_LM_6 = (1350,) * 7
"""PipeDream's authors give six LSTM layers and 0.41 GB, but no widths. Ours: one width for all, the multiple of 50 that
comes closest."""

GPT_2 = {"small": (12, 768), "medium": (24, 1024), "large": (36, 1280), "xl": (48, 1600)}
"""Blocks and width; heads of 64."""


def awd_lm(minibatch: int, device: Device, *, widths: Sequence[int], steps: int) -> LayerGraph:
    """AWD-LM: a chain of LSTM layers."""
    net = ModelBuilder(minibatch, device)
    x = nn.dropout(net, nn.embedding(net, net.data(steps), PENN_TREEBANK, widths[0]))
    for width in widths[1:]:
        x = nn.dropout(net, nn.lstm(net, x, width))
    nn.fully_connected(net, x, PENN_TREEBANK, tied=True)
    return net.graph()


def s2vt(minibatch: int, device: Device, *, steps: int) -> LayerGraph:
    """S2VT: an LSTM over frames, a second one over its output together with the words so far."""
    net = ModelBuilder(minibatch, device)
    frames = nn.fully_connected(net, net.data(steps, 4096), 500)
    seen = nn.lstm(net, frames, 1000, biases=1)
    words = nn.embedding(net, net.data(steps), CAPTION_WORDS, 500)
    x = nn.lstm(net, nn.concat(net, seen, words), 1000, biases=1)
    nn.fully_connected(net, nn.dropout(net, x), CAPTION_WORDS)
    return net.graph()


def gpt(minibatch: int, device: Device, *, blocks: int, width: int, steps: int = 1024) -> LayerGraph:
    """GPT-2 of `blocks` blocks: two residual branches in each."""
    net = ModelBuilder(minibatch, device)
    x = nn.embedding(net, net.data(steps), BYTE_PAIRS, width)
    x = nn.dropout(net, nn.position_embedding(net, x, steps))
    for _ in range(blocks):
        x = nn.add(net, x, _attention(net, nn.layer_norm(net, x), width))
        y = nn.gelu(net, nn.fully_connected(net, nn.layer_norm(net, x), 4 * width))
        x = nn.add(net, x, nn.dropout(net, nn.fully_connected(net, y, width)))
    nn.fully_connected(net, nn.layer_norm(net, x), BYTE_PAIRS, bias=False, tied=True)
    return net.graph()


def _attention(net: ModelBuilder, x: Tensor, width: int) -> Tensor:
    parts = nn.fully_connected(net, x, 3 * width)
    weights = nn.dropout(net, nn.softmax(net, nn.scores(net, parts, width // 64, width)))
    return nn.dropout(net, nn.fully_connected(net, nn.weighted_values(net, weights, parts, width), width))
