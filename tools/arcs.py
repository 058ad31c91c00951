"""A list of names with an arc for each arrow, as SVG: it needs no script, and looks the same wherever pictures do."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

_ROW, _TOP, _LEFT, _GAP, _SIZE = 24, 22, 150, 10, 14
_PER_ROW, _NEAR, _HEAD = 15, 12, 6
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#aa3377", "#8a6d00", "#4d4d4d")
"""Dark enough for thin lines on white; neighbours in the list differ."""


def arc_diagram(names: Sequence[str], arrows: Mapping[str, Iterable[str]], title: str) -> str:
    """Draw arrows that all lead down a list.

    Args:
        names: top to bottom, each before those that its arrows lead to.
        arrows: name -> names below it.
        title: what the picture shows, for those who do not see it.

    Returns:
        text of an SVG file; the colour of an arc is that of the name it begins at.

    Raises:
        ValueError: for an arrow that leads up, or to a name that is not listed.
    """
    place = {name: row for row, name in enumerate(names)}
    spans = [(place[name], place[to]) for name in names for to in arrows.get(name, ())]
    if any(low <= high for high, low in spans):
        raise ValueError("an arrow leads up the list")
    width = _LEFT + _GAP + _PER_ROW * max((low - high for high, low in spans), default=0) // 2 + 40
    height = _TOP + _ROW * len(names)
    # Long arcs first, so that short ones lie above them.
    drawn = sorted(spans, key=lambda span: (span[0] - span[1], span))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' font-family="sans-serif" font-size="{_SIZE}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *(line for span in drawn for line in _arc(*span, ends=_ends(span, spans))),
        *(_name(row, name) for row, name in enumerate(names)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _ends(span: tuple[int, int], spans: list[tuple[int, int]]) -> tuple[float, float]:
    """Where an arc begins and ends: arcs of one name leave it in the order of their lengths, above those that come."""
    high, low = span
    leaving = sorted(other for first, other in spans if first == high)
    coming = sorted((first for first, other in spans if other == low), reverse=True)
    step = 3.0
    begin = _y(high) + 2 + step * (len(leaving) - 1 - leaving.index(low)) - step * (len(leaving) - 1) / 2
    end = _y(low) - 2 - step * (len(coming) - 1 - coming.index(high)) + step * (len(coming) - 1) / 2
    return begin, end


def _arc(high: int, low: int, *, ends: tuple[float, float]) -> list[str]:
    (begin, end), x, colour = ends, _LEFT + _GAP, _COLOURS[high % len(_COLOURS)]
    across = x + _NEAR + _PER_ROW * (low - high) * 2 / 3
    return [
        f'<path d="M{x} {begin:g} C{across:g} {begin:g} {across:g} {end:g} {x + _HEAD} {end:g}" fill="none"'
        f' stroke="{colour}" stroke-width="1.5"/>',
        f'<path d="M{x} {end:g} l{_HEAD + 2} -3 v6 z" fill="{colour}"/>',
    ]


def _name(row: int, name: str) -> str:
    return (
        f'<text x="{_LEFT}" y="{_y(row) + 5:g}" text-anchor="end" fill="{_COLOURS[row % len(_COLOURS)]}">'
        f"{escape(name)}</text>"
    )


def _y(row: int) -> float:
    return _TOP + _ROW * row
