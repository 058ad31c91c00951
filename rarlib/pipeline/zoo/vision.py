"""Image classifiers for 224x224 pixels and 1,000 classes, in the versions of torchvision.

- VGG-16 (configuration D): Simonyan, Zisserman, ICLR 2015, arXiv 1409.1556.
- AlexNet (one tower): Krizhevsky, arXiv 1404.5997.
- ResNet-50, -101 (stride in the 3x3 convolution): He, Zhang, Ren, Sun, CVPR 2016, doi 10.1109/CVPR.2016.90.
- ResNeXt-50 (32x4d): Xie, Girshick, Dollár, Tu, He, CVPR 2017, doi 10.1109/CVPR.2017.634.
"""

from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.zoo import layers as nn
from rarlib.pipeline.zoo.network import Device, ModelBuilder, Tensor

_CLASSES, PIXELS = 1000, 224

VGG_16 = ((64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512))
"""Channels of the 3x3 convolutions; a maximum pool after each block."""

ALEXNET = (
    (64, 11, 4, 2, True),
    (192, 5, 1, 2, True),
    (384, 3, 1, 1, False),
    (256, 3, 1, 1, False),
    (256, 3, 1, 1, True),
)
"""Channels, kernel, stride, padding of the convolutions, and whether a maximum pool follows."""

RESNET_50, RESNET_101 = (3, 4, 6, 3), (3, 4, 23, 3)
"""Bottlenecks of each of four parts."""


def vgg_16(minibatch: int, device: Device) -> LayerGraph:
    """VGG-16: a chain."""
    net = ModelBuilder(minibatch, device)
    x = net.data(3, PIXELS, PIXELS)
    for block in VGG_16:
        for channels in block:
            x = nn.relu(net, nn.convolution(net, x, channels, 3, padding=1))
        x = nn.max_pool(net, x, 2)
    for _ in range(2):
        x = nn.dropout(net, nn.relu(net, nn.fully_connected(net, x, 4096)))
    nn.fully_connected(net, x, _CLASSES)
    return net.graph()


def alexnet(minibatch: int, device: Device) -> LayerGraph:
    """AlexNet: a chain."""
    net = ModelBuilder(minibatch, device)
    x = net.data(3, PIXELS, PIXELS)
    for channels, kernel, stride, padding, pooled in ALEXNET:
        x = nn.relu(net, nn.convolution(net, x, channels, kernel, stride=stride, padding=padding))
        if pooled:
            x = nn.max_pool(net, x, 3)
    for _ in range(2):
        x = nn.relu(net, nn.fully_connected(net, nn.dropout(net, x), 4096))
    nn.fully_connected(net, x, _CLASSES)
    return net.graph()


def resnet(
    minibatch: int, device: Device, *, bottlenecks: tuple[int, ...], groups: int = 1, inner: int = 64
) -> LayerGraph:
    """A residual network: two branches in every bottleneck, with groups of channels in the 3x3 convolutions.

    `bottlenecks` counts them by part; channels double from part to part, and the side is halved. `inner` is the number
    of channels inside those of the first part.
    """
    net = ModelBuilder(minibatch, device)
    x = _normalised(net, net.data(3, PIXELS, PIXELS), 64, 7, stride=2)
    x = nn.max_pool(net, nn.relu(net, x), 3, padding=1)
    for part, count in enumerate(bottlenecks):
        for at in range(count):
            stride = 2 if part > 0 and at == 0 else 1
            x = _bottleneck(net, x, inner << part, 256 << part, stride, groups)
    nn.fully_connected(net, nn.average_pool(net, x), _CLASSES)
    return net.graph()


def _normalised(net: ModelBuilder, x: Tensor, channels: int, kernel: int, stride: int = 1, groups: int = 1) -> Tensor:
    x = nn.convolution(net, x, channels, kernel, stride=stride, padding=kernel // 2, groups=groups, bias=False)
    return nn.batch_norm(net, x)


def _bottleneck(net: ModelBuilder, x: Tensor, inner: int, outer: int, stride: int, groups: int) -> Tensor:
    y = nn.relu(net, _normalised(net, x, inner, 1))
    y = nn.relu(net, _normalised(net, y, inner, 3, stride, groups))
    y = _normalised(net, y, outer, 1)
    short = x if x.shape == y.shape else _normalised(net, x, outer, 1, stride)
    return nn.relu(net, nn.add(net, y, short))
