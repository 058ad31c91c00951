"""Axes to draw into."""

import matplotlib.pyplot as plt
import pytest


@pytest.fixture
def ax():
    return plt.subplots()[1]
