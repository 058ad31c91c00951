"""The numbers of a figure's marks are those that were drawn, and lie where the picture has them."""

import json
import re

import matplotlib.pyplot as plt

from rarlib.plot import style


def placed(axis: dict, value: float) -> float:
    low, high = axis["data"]
    first, last = axis["svg"]
    return first + (value - low) / (high - low) * (last - first)


def draw():
    style.use_style()
    drawn, (left, right) = plt.subplots(1, 2)
    left.plot([1.0, 2.0, 3.0], [5.0, 1.0, 4.0], "o-")
    left.set_xlim(0.0, 2.5)  # the last point lies outside
    right.bar(["a", "b"], [2.0, 7.0])
    return drawn


def test_marks_are_what_was_drawn(tmp_path):
    svg, marks = tmp_path / "a.svg", tmp_path / "a.json"
    style.save(draw(), svg, tmp_path / "a.png", {}, marks)
    drawn = json.loads(marks.read_text(encoding="utf-8"))
    assert drawn["marks"] == [[0, 1.0, 5.0], [0, 2.0, 1.0], [1, 0.4, 2.0], [1, 1.4, 7.0]]
    found = {(float(x), float(y)) for x, y in re.findall(r"[ML] ([\d.]+) ([\d.]+)", svg.read_text(encoding="utf-8"))}
    for which, *point in drawn["marks"]:
        x, y = (placed(drawn["axes"][which][axis], value) for axis, value in zip("xy", point, strict=True))
        assert any(abs(x - a) < 0.01 and abs(y - b) < 0.01 for a, b in found)
