"""Plain data from YAML: no alias, no key twice, bounded depth.

Apart from the other readers, since the browser edition has no PyYAML.
"""

from pathlib import Path
from typing import Any, NoReturn

import yaml

from rarlib.model import limits
from rarlib.model.errors import InputError, shown
from rarlib.model.inputs import file_text


def yaml_file(path: Path) -> Any:
    """Content of a YAML file; see `yaml_value`.

    Raises:
        InputError: see `file_text` and `yaml_value`.
    """
    return yaml_value(file_text(path, limits.YAML_BYTES), file=path)


def yaml_value(text: str, file: object = None) -> Any:
    """Plain data from YAML text: no alias, no key twice, bounded depth.

    Raises:
        InputError: with the row, if the text is not such YAML.
    """
    limits.YAML_BYTES.check(len(text), file=file)
    try:
        _refuse_what_is_not_plain(text)
        loader = _PlainLoader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        row = mark.line + 1 if mark is not None else None
        raise InputError(f"not valid YAML: {error.problem or error.context}", file=file, row=row) from None
    except yaml.YAMLError as error:
        raise InputError(f"not valid YAML: {str(error).splitlines()[0]}", file=file) from None
    except (ValueError, ArithmeticError, LookupError, AttributeError, TypeError) as error:
        # What PyYAML raises for scalars that look like a number or a time and are none.
        raise InputError(f"not valid YAML: {shown(str(error))}", file=file) from None


_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The safe loader; libyaml's, where PyYAML is built with it, reads ten times as fast."""


class _PlainLoader(_Loader):  # type: ignore[misc, valid-type]
    """The safe loader, without repeated keys."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    _refuse(key, f"key {shown(key.value)} is given twice")
                seen.add((key.tag, key.value))
        found: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return found


def _refuse_what_is_not_plain(text: str) -> None:
    """Refuse aliases, and more nesting than the limit, before anything is built from them."""
    depth, rule = 0, f"more than {limits.NESTING.most} levels of nesting (see rarlib/model/limits.py)"
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            _refuse(event, "aliases (*name) are not read")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > limits.NESTING.most:
            _refuse(event, rule)


def _refuse(at: Any, problem: str) -> NoReturn:
    raise yaml.MarkedYAMLError(problem=problem, problem_mark=at.start_mark)
