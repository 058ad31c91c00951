"""The page on scale says what the record says, and its law is a power law."""

import pandas as pd
import pytest

from tools.scale import SECTION, Law, normalised, render, said


def test_the_tables_are_current():
    """Remedy: python -m tools.scale"""
    assert SECTION.stated() == render()


def test_a_power_law_is_recovered():
    law = Law([10, 100, 1000, 10_000], [99.0, 2e-4 * 100**1.5, 2e-4 * 1000**1.5, 2e-4 * 10_000**1.5])
    assert law.power == pytest.approx(1.5)
    assert law.seconds(1_000_000) == pytest.approx(2e-4 * 1_000_000**1.5)


def test_a_slow_moment_is_taken_out():
    """The same run, once while the machine took twice as long for a fixed computation."""
    record = pd.DataFrame(
        {"seconds": [1.0, 2.0], "deciding_s": [0.5, 1.0], "worst_s": [0.1, 0.2], "probe_s": [0.03, 0.06]}
    )
    same = normalised(record, 0.015)
    assert same["seconds"].tolist() == pytest.approx([0.5, 0.5])
    assert same["worst_s"].tolist() == pytest.approx([0.05, 0.05])


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.004, "4 ms"), (90.0, "90.0 s"), (600.0, "10.0 min"), (3 * 86400.0, "3.0 d")]
)
def test_times_are_said_with_a_unit(seconds, text):
    assert said(seconds) == text
