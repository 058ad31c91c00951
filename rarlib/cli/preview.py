"""`rarlib preview`: check the study of a folder, and say what a run will do."""

from pathlib import Path
from typing import Annotated

import typer


def preview(folder: Annotated[Path, typer.Argument(help="Folder with study.yaml.")] = Path()) -> None:
    """Check study.yaml; say how many runs there are and how likely they decide its statements."""
    from rarlib.cli.text import say
    from rarlib.model.extras import lacking_for_a_study
    from rarlib.study.document import read_study_file
    from rarlib.study.power import power_lines

    found = read_study_file(folder)
    say(
        *power_lines(found),
        *(f"{each.name}: {each.better} below {each.worse}, {each.metric}" for each in found.statements),
    )
    if sentence := lacking_for_a_study():
        say(f"before snakemake can run it: {sentence}")
