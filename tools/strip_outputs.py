"""What git sees of a notebook, without outputs: `python tools/strip_outputs.py <saved.ipynb >committed.ipynb`.

`make setup` makes this a filter of the clone: a saved notebook keeps its outputs, and git does not see them.
It needs nothing but Python, since git may call it from any environment.
"""

import json
import sys
from typing import Any

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
"""Of every notebook of this project, whichever kernel has run it."""

OF_A_RUN = ("execution", "trusted")
"""Metadata of a cell that running it leaves behind."""


def stripped(text: str) -> str:
    """A notebook as it is committed: no outputs, no counts, nothing that depends on who has run it."""
    book: dict[str, Any] = json.loads(text)
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
        cell["metadata"] = {key: value for key, value in cell["metadata"].items() if key not in OF_A_RUN}
    book["metadata"] = METADATA
    return json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> None:
    """Filter standard input; what is no notebook passes as it is."""
    sys.stdin.reconfigure(encoding="utf-8", newline="")  # type: ignore[union-attr]
    sys.stdout.reconfigure(encoding="utf-8", newline="")  # type: ignore[union-attr]
    text = sys.stdin.read()
    try:
        text = stripped(text)
    except (ValueError, KeyError, TypeError, AttributeError):
        print("a file that is no notebook passes as it is", file=sys.stderr)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
