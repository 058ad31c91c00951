"""The models by name: `profile("vgg16")`."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from rarlib.model.errors import InputError
from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.zoo import language, translation, vision
from rarlib.pipeline.zoo.network import V100, Device


class _Model(NamedTuple):
    """How a model is built, and its samples per minibatch and GPU unless another number is given."""

    build: Callable[[int, Device], LayerGraph]
    minibatch: int


MODELS: dict[str, _Model] = {
    "vgg16": _Model(vision.vgg_16, 128),
    "alexnet": _Model(vision.alexnet, 256),
    "resnet50": _Model(partial(vision.resnet, bottlenecks=vision.RESNET_50), 128),
    "resnet101": _Model(partial(vision.resnet, bottlenecks=vision.RESNET_101), 64),
    "resnext50": _Model(partial(vision.resnet, bottlenecks=vision.RESNET_50, groups=32, inner=128), 128),
    "gnmt": _Model(partial(translation.gnmt, depth=4, length=48), 32),
    "gnmt_large": _Model(partial(translation.gnmt, depth=8, length=25), 128),
    "awd-lm": _Model(partial(language.awd_lm, widths=language.AWD_LM, steps=70), 80),
    "awd-lm-6": _Model(partial(language.awd_lm, widths=language.AWD_LM_6, steps=70), 80),
    "s2vt": _Model(partial(language.s2vt, steps=80), 80),
    **{
        f"gpt2-{size}": _Model(partial(language.gpt, blocks=blocks, width=width), 4)
        for size, (blocks, width) in language.GPT_2.items()
    },
}
"""Minibatches and lengths of the first seven: those of PipeDream's measured profiles, whose names they share."""


def profile(name: str, minibatch: int | None = None, device: Device = V100) -> LayerGraph:
    """Analytic profile of a model: exact sizes, times by `Device.seconds`.

    Raises:
        InputError: for an unknown model, or a minibatch below 1.
    """
    if name not in MODELS:
        raise InputError(f"unknown model {name!r}; known: {', '.join(MODELS)}", field="profile")
    if minibatch is not None and minibatch < 1:
        raise InputError(f"must be at least 1, found {minibatch}", field="minibatch")
    model = MODELS[name]
    return model.build(model.minibatch if minibatch is None else minibatch, device)
