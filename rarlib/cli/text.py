"""Text on the terminal: its width, and lines that hold words of an input."""

import shutil

from rarlib.model.foreign import printable

_NARROWEST = 40


def width() -> int:
    """Columns of the terminal, 80 if there is none; lines are never laid out for fewer than 40."""
    return max(shutil.get_terminal_size((80, 24)).columns, _NARROWEST)


def say(*lines: object) -> None:
    """Print lines; a control character in one is shown by its number and does nothing."""
    print(*map(printable, lines), sep="\n")
