"""The width for which text is laid out."""

import shutil


def width() -> int:
    """Columns of the terminal, 80 if there is none."""
    return shutil.get_terminal_size((80, 24)).columns
