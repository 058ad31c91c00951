"""Odd values, drawn by Hypothesis and named by hand: numbers, texts, and trees of both as JSON holds them.

Hypothesis also draws constants that it finds in modules at hand, so a seed gives the same values only in a process that
has imported nothing else: `python -m tests.rarlib.fuzz.values SEED` prints them, and `drawn_values` reads that.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

_ROOT = Path(__file__).resolve().parents[3]
_DRAWN = 300

NUMBERS: tuple[str, ...] = (
    "nan", "NaN", "inf", "-inf", "Infinity", "1e400", "-1e400", "1e308", "1e-320", "-0.0", "0", "-1", "1", "0.5",
    "1e-9", "1e17", "10000000001", "9007199254740993", "4294967297", "9223372036854775808",
    "-9223372036854775809", "9" * 30, "9" * 5_000, "0x10", "1_000",
    "1,000", "1+2j", "True", "None", "null", "01", "1.", ".5", "1e", "٣", "½", "",
)  # fmt: skip
"""Numbers on edges, and texts that are nearly numbers."""

TEXTS: tuple[str, ...] = (
    " ", "\t", '"', '""', '"a\nb"', "'", "\\", "\0", "\r", "\r\n", "\n\n", ",", ",,,,", ";", "=1+1", "@x", "-", "--",
    "~", "\x1b[31m", "\x1b[2J", "\u202egnp", "\u2028", "\ufeff", "\ud800", "\U0010ffff", "é",
    "<script>alert(1)</script>", "[/bold] $x^{$", "a" * 300, "a" * 200_000,
    "../x", "x/y", ".", "..", "nul\0name", "%s%n", "{}", "[", "]", "{", "}",
    "2017-02-30 00:00:00", "9999-12-31 23:59:59", "0001-01-01 00:00:00", "2020-01-01T00:00:00+99:00", "1:99:00",
    "&a ", "*a", "<<: *a", "!!python/object:os.system x", "!!int ''", "!!timestamp x", "!!binary x", "- ", "? ", "| ",
)  # fmt: skip
"""Texts that mean something to a spreadsheet, a terminal, a file system, a page or a parser."""


class Values(NamedTuple):
    """Values of a seed.

    Attributes:
        numbers: texts of numbers.
        texts: any text.
        trees: numbers, texts, lists and mappings of them.
    """

    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    trees: tuple[Any, ...]


def drawn_values(number: int) -> Values:
    """The values of a seed, the same in every process."""
    words = [sys.executable, "-m", "tests.rarlib.fuzz.values", str(number)]
    numbers, texts, trees = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=_ROOT).stdout)
    return Values((*NUMBERS, *numbers), (*TEXTS, *texts), tuple(trees))


def _draw(strategy: st.SearchStrategy[Any], number: int) -> list[Any]:
    found: list[Any] = []

    @seed(number)
    @settings(max_examples=_DRAWN, database=None, deadline=None, phases=[Phase.generate], derandomize=False)
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


def _main(number: int) -> None:
    characters = st.characters() | st.characters(categories=["Cs", "Cc", "Cf", "Zl", "Zp"])
    texts = st.text(characters, max_size=40)
    numbers = st.one_of(st.floats().map(repr), st.integers().map(str), st.decimals().map(str), st.fractions().map(str))
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | texts
    trees = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=12)
    print(json.dumps([_draw(each, number) for each in (numbers, texts, trees)]))  # noqa: T201 - the answer


if __name__ == "__main__":
    _main(int(sys.argv[1]))
