"""GNMT: LSTM encoder and decoder with attention, for translation.

Source: Wu et al., "Google's Neural Machine Translation System", arXiv 1609.08144, in the shape PipeDream trains: width
1,024, 32,320 tokens, three tables of tokens (not shared), attention of Bahdanau et al. computed once beside the first
decoder layer and handed to all others, residual connections from the third layer on. GNMT-8 has four layers on each
side, GNMT-16 eight. The decoder works on all tokens but the last, which is only predicted.
"""

from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.zoo import layers as nn
from rarlib.pipeline.zoo.network import Device, ModelBuilder, Tensor

_WIDTH, TOKENS = 1024, 32320


def gnmt(minibatch: int, device: Device, *, depth: int, length: int) -> LayerGraph:
    """GNMT with `depth` layers in the encoder and as many in the decoder, sentences of `length` tokens."""
    net = ModelBuilder(minibatch, device)
    source = _encoder(net, net.data(length), depth)
    _decoder(net, net.data(length - 1), source, depth)
    return net.graph()


def _encoder(net: ModelBuilder, tokens: Tensor, depth: int) -> Tensor:
    x = nn.embedding(net, tokens, TOKENS, _WIDTH)
    x = nn.dropout(net, nn.lstm(net, x, _WIDTH, directions=2))
    x = nn.select(net, nn.lstm(net, x, _WIDTH), "sequence")
    for _ in range(depth - 2):
        y = nn.lstm(net, nn.dropout(net, x), _WIDTH)
        x = nn.add(net, nn.select(net, y, "sequence"), x)
    return x


def _decoder(net: ModelBuilder, tokens: Tensor, source: Tensor, depth: int) -> None:
    """Initial states come from one operator, as in PipeDream's profiles: each may enter the pipeline at any stage."""
    x = nn.embedding(net, tokens, TOKENS, _WIDTH)
    states = net.operator("hidden", (), (0,), kernels=0)
    attended = _attention(net, x, source, nn.select(net, states, "layer 0", (0,)))
    context = nn.select(net, attended, "context")
    below = nn.select(net, attended, "sequence")
    for layer in range(1, depth):
        joined = nn.concat(net, nn.dropout(net, below), context)
        state = nn.select(net, states, f"layer {layer}", (0,))
        y = nn.select(net, nn.lstm(net, joined, _WIDTH, state), "sequence")
        below = y if layer == 1 else nn.add(net, y, below)
    nn.fully_connected(net, below, TOKENS)


def _attention(net: ModelBuilder, x: Tensor, source: Tensor, state: Tensor) -> Tensor:
    """First decoder layer: an LSTM, then additive attention; returns sequence, last state, context and weights."""
    (batch, steps, _), length = x.shape, source.shape[1]
    lstm = 4 * _WIDTH * (2 * _WIDTH + 2)
    projections = 2 * _WIDTH * _WIDTH  # of the query and of the keys
    flops = (
        2.0 * batch * (steps * 8 * _WIDTH * _WIDTH + (steps + length) * _WIDTH * _WIDTH + 2 * steps * length * _WIDTH)
    )
    return net.operator(
        "attention-lstm",
        (x, source, state),
        x.shape,
        kind="matrix",
        parameters=lstm + projections + _WIDTH,
        flops=flops,
        extra_outputs=2 * batch * _WIDTH + x.elements + batch * steps * length,
        again=(steps - 1) * 4 * _WIDTH * _WIDTH + 2 * batch * steps * length * _WIDTH,
        kernels=5 + steps,
    )
