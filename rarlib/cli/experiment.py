"""`rarlib experiment`: the tables of an experiment that an installed package offers."""

from pathlib import Path
from typing import Annotated

import typer

from rarlib.cli.options import Force, read_params
from rarlib.cli.text import say
from rarlib.model.errors import InputError


def experiment(
    name: Annotated[str | None, typer.Argument(help="An experiment; without it, all are listed.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for a CSV file per table.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="name=value: another value of a setting; may be repeated.")
    ] = None,
    force: Force = False,
) -> None:
    """Make the tables of an experiment of an installed package."""
    from rarlib.comparison.experiments import added_experiments, make_tables, table_file
    from rarlib.model.plain_yaml import yaml_value
    from rarlib.records.outputs import check_outputs
    from rarlib.records.tidy import write_table

    if name is None:
        print("\n".join(added_experiments()) or "No installed package offers an experiment (`rarlib new plugin`).")
        return
    if out is None:
        raise InputError("needs a folder to write to", file="--out")
    given = {key: yaml_value(text, "--set") for key, text in read_params(set_ or []).items()}
    tables = make_tables(name, given)
    files = {part: table_file(out, name, part) for part in tables}
    check_outputs(files.values(), force=force)
    for part, path in files.items():
        write_table(tables[part], path)
        say(f"written: {path}")
