"""`rarlib new`: the files of a package, or of a study, of one's own."""

from pathlib import Path
from typing import Annotated

import typer

from rarlib.cli.text import say

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def new() -> None:
    """Write the files of a new package or study: `rarlib new plugin NAME`, `rarlib new study NAME`."""


@app.command()
def plugin(
    name: Annotated[str, typer.Argument(help="Name of the package and of its scheduler, such as least-gpu-time.")],
    folder: Annotated[Path, typer.Option(help="Where the folder NAME is made.")] = Path(),
) -> None:
    """A package with a scheduler, a cost model and a trace format, and tests of each."""
    from artifact.study.new_folder import plugin_files
    from rarlib.records.outputs import write_new_folder

    say(*write_new_folder(folder / name, plugin_files(name)))
    say(f"next: python -m pip install -e '{folder / name}[test]' && python -m pytest {folder / name}")


@app.command("study")
def study_folder(
    name: Annotated[str, typer.Argument(help="Name of the study, such as shorter-queues.")],
    folder: Annotated[Path, typer.Option(help="Where the folder NAME is made.")] = Path(),
) -> None:
    """A folder with what is compared, a scheduler, a notebook per figure and a paper; `snakemake` there runs it."""
    from artifact.study.new_folder import study_files
    from rarlib.records.outputs import write_new_folder

    say(*write_new_folder(folder / name, study_files(name)))
    say(f"next: cd {folder / name} && snakemake -n && snakemake")
