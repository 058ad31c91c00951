"""Check of the pipeline's configuration before anything runs; an error is one line that names the key."""

import sys
from collections.abc import Mapping
from typing import Any

from artifact.schema import SCHEMAS, check_schema
from rarlib.model.errors import InputError, did_you_mean
from rarlib.model.project import ROOT


def check_config(config: Mapping[str, Any]) -> None:
    """Refuse unknown keys, missing keys, values out of range, and names that are not defined in the configuration."""
    check_schema(config, SCHEMAS / "config.schema.yaml", file="config")
    experiments = config["experiments"]
    tables = [f"{name.replace('_', '-')}-{part}" for name, section in experiments.items() for part in section["cells"]]
    tutorials = sorted(path.stem for path in (ROOT / "notebooks/learn").glob("*.ipynb"))
    for name in config["only"]:
        if name not in (*experiments, *tables, *tutorials):
            near = did_you_mean(name, [*experiments, *tables, *tutorials])
            raise InputError(
                f"no experiment, table or tutorial {name!r}{near}; experiments: {', '.join(experiments)}",
                file="config",
                field="only",
            )
    for name, section in experiments.items():
        for part, data in section.get("reads", {}).items():
            field = f"experiments.{name}.reads.{part}"
            if part not in section["cells"]:
                raise InputError(f"no table {part!r}; known: {', '.join(section['cells'])}", file="config", field=field)
            if (data in config["traces"]) + (data in config["profiles"]) != 1:
                raise InputError(f"{data!r} is not listed under traces or profiles, once", file="config", field=field)


def check_or_exit(config: Mapping[str, Any]) -> None:
    """`check_config` for the Snakefile: a bad configuration ends with one line and exit code 2."""
    try:
        check_config(config)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - no logger is running yet
        sys.exit(2)
