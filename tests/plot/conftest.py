"""Axes to draw into; what a test draws is gone after it."""

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture
def ax():
    return plt.subplots()[1]
