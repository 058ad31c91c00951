"""Image classifiers for 224x224 pixels and 1,000 classes, in the versions of torchvision.

- VGG-16 (configuration D): Simonyan, Zisserman, ICLR 2015, arXiv 1409.1556.
- AlexNet (one tower): Krizhevsky, arXiv 1404.5997.
- ResNet-50 (stride in the 3x3 convolution): He, Zhang, Ren, Sun, CVPR 2016, doi 10.1109/CVPR.2016.90.
"""

from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.zoo import layers as nn
from rarlib.pipeline.zoo.device import Device
from rarlib.pipeline.zoo.network import Network, Tensor

CLASSES, PIXELS = 1000, 224

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

RESNET_50 = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""Channels inside a bottleneck (four times as many outside), bottlenecks, stride of the first one."""


def vgg_16(minibatch: int, device: Device) -> LayerGraph:
    """VGG-16: a chain."""
    net = Network(minibatch, device)
    x = net.data(3, PIXELS, PIXELS)
    for block in VGG_16:
        for channels in block:
            x = nn.relu(net, nn.convolution(net, x, channels, 3, padding=1))
        x = nn.max_pool(net, x, 2)
    for _ in range(2):
        x = nn.dropout(net, nn.relu(net, nn.linear(net, x, 4096)))
    nn.linear(net, x, CLASSES)
    return net.graph()


def alexnet(minibatch: int, device: Device) -> LayerGraph:
    """AlexNet: a chain."""
    net = Network(minibatch, device)
    x = net.data(3, PIXELS, PIXELS)
    for channels, kernel, stride, padding, pooled in ALEXNET:
        x = nn.relu(net, nn.convolution(net, x, channels, kernel, stride=stride, padding=padding))
        if pooled:
            x = nn.max_pool(net, x, 3)
    for _ in range(2):
        x = nn.relu(net, nn.linear(net, nn.dropout(net, x), 4096))
    nn.linear(net, x, CLASSES)
    return net.graph()


def resnet_50(minibatch: int, device: Device) -> LayerGraph:
    """ResNet-50: two branches in every bottleneck."""
    net = Network(minibatch, device)
    x = _normalised(net, net.data(3, PIXELS, PIXELS), 64, 7, stride=2)
    x = nn.max_pool(net, nn.relu(net, x), 3, padding=1)
    for channels, count, first in RESNET_50:
        for at in range(count):
            x = _bottleneck(net, x, channels, first if at == 0 else 1)
    nn.linear(net, nn.average_pool(net, x), CLASSES)
    return net.graph()


def _normalised(net: Network, x: Tensor, channels: int, kernel: int, stride: int = 1) -> Tensor:
    x = nn.convolution(net, x, channels, kernel, stride=stride, padding=kernel // 2, bias=False)
    return nn.batch_norm(net, x)


def _bottleneck(net: Network, x: Tensor, channels: int, stride: int) -> Tensor:
    y = nn.relu(net, _normalised(net, x, channels, 1))
    y = nn.relu(net, _normalised(net, y, channels, 3, stride))
    y = _normalised(net, y, 4 * channels, 1)
    short = x if x.shape == y.shape else _normalised(net, x, 4 * channels, 1, stride)
    return nn.relu(net, nn.add(net, y, short))
