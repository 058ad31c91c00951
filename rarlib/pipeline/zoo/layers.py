"""The operators that models are made of.

Shapes: images (minibatch, channels, height, width), sequences (minibatch, steps, width).
"""

from math import prod

from rarlib.pipeline.zoo.network import WINOGRAD, ModelBuilder, Tensor


def convolution(
    net: ModelBuilder,
    x: Tensor,
    channels: int,
    kernel: int,
    *,
    stride: int = 1,
    padding: int = 0,
    groups: int = 1,
    bias: bool = True,
) -> Tensor:
    """Square two-dimensional convolution; each of `groups` groups of output channels sees its own input channels."""
    batch, before, height, width = x.shape
    shape = (batch, channels, _side(height, kernel, stride, padding), _side(width, kernel, stride, padding))
    weights = before // groups * kernel**2 * channels
    saved = WINOGRAD if kernel == 3 and stride == 1 and groups == 1 else 1.0
    grouped = f", {groups} groups" if groups > 1 else ""
    return net.operator(
        f"conv({before}, {channels}, {kernel}x{kernel}, stride {stride}{grouped})",
        (x,),
        shape,
        kind="convolution",
        parameters=weights + bias * channels,
        flops=2.0 * weights * batch * shape[2] * shape[3] / saved,
    )


def _side(length: int, kernel: int, stride: int, padding: int) -> int:
    return (length + 2 * padding - kernel) // stride + 1


def batch_norm(net: ModelBuilder, x: Tensor) -> Tensor:
    """Batch normalisation: reads its input for the statistics and again to apply them."""
    channels = x.shape[1]
    return net.operator(f"batch-norm({channels})", (x,), x.shape, parameters=2 * channels, again=x.elements)


def layer_norm(net: ModelBuilder, x: Tensor) -> Tensor:
    """Normalisation over the width of each step."""
    return net.operator(f"layer-norm({x.shape[-1]})", (x,), x.shape, parameters=2 * x.shape[-1], again=x.elements)


def relu(net: ModelBuilder, x: Tensor) -> Tensor:
    """Rectified linear unit."""
    return net.operator("relu", (x,), x.shape)


def gelu(net: ModelBuilder, x: Tensor) -> Tensor:
    """Gaussian error linear unit."""
    return net.operator("gelu", (x,), x.shape)


def dropout(net: ModelBuilder, x: Tensor) -> Tensor:
    """Dropout."""
    return net.operator("dropout", (x,), x.shape)


def add(net: ModelBuilder, x: Tensor, y: Tensor) -> Tensor:
    """Sum of two tensors, as at the end of a residual branch."""
    return net.operator("add", (x, y), x.shape)


def concat(net: ModelBuilder, x: Tensor, y: Tensor) -> Tensor:
    """Two tensors side by side in the last dimension."""
    return net.operator("concat", (x, y), (*x.shape[:-1], x.shape[-1] + y.shape[-1]))


def select(net: ModelBuilder, x: Tensor, what: str, shape: tuple[int, ...] | None = None) -> Tensor:
    """One of several outputs of an operator; takes no time."""
    return net.operator(f"select({what})", (x,), x.shape if shape is None else shape, kernels=0)


def max_pool(net: ModelBuilder, x: Tensor, kernel: int, *, stride: int = 2, padding: int = 0) -> Tensor:
    """Maximum over square windows."""
    batch, channels, height, width = x.shape
    shape = (batch, channels, _side(height, kernel, stride, padding), _side(width, kernel, stride, padding))
    return net.operator(f"max-pool({kernel}x{kernel}, stride {stride})", (x,), shape)


def average_pool(net: ModelBuilder, x: Tensor) -> Tensor:
    """Average over the whole image."""
    return net.operator("average-pool", (x,), x.shape[:2])


def fully_connected(net: ModelBuilder, x: Tensor, features: int, *, bias: bool = True, tied: bool = False) -> Tensor:
    """Matrix product over the last dimension; an image is flattened first.

    A `tied` matrix belongs to another layer, which counts it (output layers that reuse the embedding).
    """
    *outer, width = x.shape if len(x.shape) != 4 else (x.shape[0], prod(x.shape[1:]))
    weights = width * features
    return net.operator(
        f"linear({width}, {features})",
        (x,),
        (*outer, features),
        kind="matrix",
        parameters=(0 if tied else weights) + bias * features,
        flops=2.0 * weights * prod(outer),
        again=weights if tied else 0.0,
    )


def embedding(net: ModelBuilder, tokens: Tensor, vocabulary: int, width: int) -> Tensor:
    """Row of a table for each token; only the rows looked up are read forward, all gradients are written backward."""
    return net.operator(
        f"embedding({vocabulary}, {width})",
        (tokens,),
        (*tokens.shape, width),
        parameters=vocabulary * width,
        again=prod(tokens.shape) * width - vocabulary * width,
    )


def position_embedding(net: ModelBuilder, x: Tensor, positions: int) -> Tensor:
    """Learned vectors of the first steps, added to every sample."""
    return net.operator(f"position-embedding({positions})", (x,), x.shape, parameters=positions * x.shape[-1])


def lstm(
    net: ModelBuilder, x: Tensor, hidden: int, state: Tensor | None = None, *, directions: int = 1, biases: int = 2
) -> Tensor:
    """LSTM layer from an initial state, where one comes from another layer; cuDNN has two biases per gate, Caffe one.

    The inputs of all steps are one matrix product; the recurrent product is done step by step, and reads its weights
    again at every step. Besides the sequence it returns the last hidden and cell state, except where it is
    bidirectional (`directions` 2).
    """
    batch, steps, width = x.shape
    gates = 4 * hidden
    inputs = (x,) if state is None else (x, state)
    return net.operator(
        f"{'lstm' if directions == 1 else 'bidirectional-lstm'}({width}, {hidden})",
        inputs,
        (batch, steps, directions * hidden),
        kind="matrix",
        parameters=directions * gates * (width + hidden + biases),
        flops=directions * 2.0 * batch * steps * gates * (width + hidden),
        extra_outputs=2 * batch * hidden if directions == 1 else 0,
        again=directions * (steps - 1) * gates * hidden,
        kernels=1 + directions * steps,
    )


def scores(net: ModelBuilder, x: Tensor, heads: int, width: int) -> Tensor:
    """Products of queries and keys of all heads; x holds queries, keys and values side by side, each `width` wide."""
    batch, steps, _ = x.shape
    shape = (batch, heads, steps, steps)
    return net.operator("attention-scores", (x,), shape, kind="matrix", flops=2.0 * batch * steps**2 * width)


def softmax(net: ModelBuilder, x: Tensor) -> Tensor:
    """Softmax over the last dimension."""
    return net.operator("softmax", (x,), x.shape, again=x.elements)


def weighted_values(net: ModelBuilder, weights: Tensor, x: Tensor, width: int) -> Tensor:
    """Values weighted by attention."""
    batch, steps, _ = x.shape
    flops = 2.0 * batch * steps**2 * width
    return net.operator("attention-values", (weights, x), (batch, steps, width), kind="matrix", flops=flops)
