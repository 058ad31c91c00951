"""The page of every scheduler's parameters, docs/schedulers.md, from their classes: `python -m tools.schedulers`."""

import sys
from pathlib import Path

from rarlib.cli.parameter_table import Parameter, about, parameter_table
from rarlib.declared import declared
from rarlib.discovery import scheduler_class
from rarlib.model.files import write_text

_TOP = """# Schedulers and their parameters

Made by `python -m tools.schedulers` from the classes in `rarlib/schedulers/`. `--param name=value` of `rarlib simulate`
sets a parameter; `rarlib schedulers NAME` prints a section of this page, also for the schedulers of installed packages.
The column `accepted` holds the rule that is stated with the parameter and checked before a run; where it is empty, the
meaning says what makes sense. All numbers must be finite.
"""
_HEAD = "| parameter | type | default | accepted | meaning |\n|---|---|---|---|---|\n"


def render() -> str:
    """The page as Markdown: the schedulers of the package, in alphabetical order."""
    return _TOP + "".join(_section(name) for name in declared())


def _section(name: str) -> str:
    made_for = getattr(scheduler_class(name), "made_for", "")
    text = about(name) + (f" Made for `--cost {made_for}`." if made_for else "")
    rows = [_row(each) for each in parameter_table(name)]
    return f"\n## {name}\n\n{text}\n\n" + (_HEAD + "".join(rows) if rows else "No parameters.\n")


def _row(each: Parameter) -> str:
    cells = (f"`{each.name}`", each.kind, f"`{each.default}`", each.accepts, each.meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def main() -> int:
    """Write docs/schedulers.md."""
    write_text(Path(__file__).resolve().parents[1] / "docs" / "schedulers.md", render())
    return 0


if __name__ == "__main__":
    sys.exit(main())
