"""`rarlib schedulers`: all schedulers, or the parameters of one."""

import json
from textwrap import shorten, wrap
from typing import Annotated

import typer

from rarlib.model.errors import InputError


def schedulers(
    name: Annotated[str | None, typer.Argument(help="A scheduler; without it, all are listed.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """List all schedulers, or the parameters of one: type, default, meaning and what is accepted."""
    from rarlib.cli.parameter_table import about, parameter_table
    from rarlib.cli.text import width
    from rarlib.declared import scheduler_names
    from rarlib.discovery import scheduler_class

    columns = width()
    if name is None:
        about_all = {each: _about(each) for each in scheduler_names()}
        first = max(map(len, about_all)) + 2
        lines = [
            f"{each:{first}}{shorten(text, columns - first, placeholder=' …')}" for each, text in about_all.items()
        ]
        print(
            json.dumps(about_all, indent=2)
            if as_json
            else "\n".join([*lines, "", "rarlib schedulers NAME: parameters"])
        )
        return
    table = parameter_table(name)
    if as_json:
        print(json.dumps({"name": name, "about": about(name), "parameters": [p._asdict() for p in table]}, indent=2))
        return
    made_for = getattr(scheduler_class(name), "made_for", "")
    print(*wrap(f"{name}: {about(name)}" + (f" Made for --cost {made_for}." if made_for else ""), columns), sep="\n")
    if not table:
        print("no parameters")
    for each in table:
        rule = f"; {each.accepts}" if each.accepts else ""
        print(f"\n--param {each.name}={each.default}  ({each.kind}{rule})")
        for line in wrap(each.meaning or "no description", columns, initial_indent="    ", subsequent_indent="    "):
            print(line)


def _about(name: str) -> str:
    """What a scheduler does, or why it cannot be used here."""
    from rarlib.cli.parameter_table import about

    try:
        return about(name)
    except InputError as error:
        return f"not usable: {error.rule}"
