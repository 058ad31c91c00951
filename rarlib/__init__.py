"""Reproduce and compare schedulers for distributed deep-learning jobs.

The public names are those of the stub beside this file, which type checkers read as well. Each is imported when it is
first used, so that importing the package costs nothing; docs/api.md describes them.
"""

__version__ = "1.0.0"


def __getattr__(name: str) -> object:
    """A public name."""
    from importlib import import_module  # noqa: PLC0415 - `import rarlib` is to be there at once

    places = {} if name.startswith("_") else _public()
    if name not in places:
        raise AttributeError(f"module 'rarlib' has no attribute {name!r}")
    try:
        value = globals()[name] = getattr(import_module(places[name]), name)
    except ImportError as error:
        from rarlib.model.errors import InputError  # noqa: PLC0415
        from rarlib.model.extras import advice  # noqa: PLC0415

        if sentence := advice(error):
            raise InputError(sentence) from None
        raise
    return value


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted({*globals(), *_public()})


def _public() -> dict[str, str]:
    """Public names, and the module that defines each."""
    from ast import ImportFrom, parse  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    stub = parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    lines = [node for node in stub.body if isinstance(node, ImportFrom)]
    return {alias.name: str(line.module) for line in lines for alias in line.names}
