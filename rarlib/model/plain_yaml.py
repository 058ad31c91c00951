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


class _PlainLoader(yaml.SafeLoader):
    """The safe loader, without aliases, without repeated keys, and with a bound on nesting."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            _refuse(self.peek_event(), "aliases (*name) are not read")
        self.depth += 1
        if self.depth > limits.NESTING.most:
            _refuse(
                self.peek_event(), f"more than {limits.NESTING.most} levels of nesting (see rarlib/model/limits.py)"
            )
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[tuple[str, str]] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    _refuse(key, f"key {shown(key.value)} is given twice")
                seen.add((key.tag, key.value))
        return super().construct_mapping(node, deep=deep)


def _refuse(at: Any, problem: str) -> NoReturn:
    raise yaml.MarkedYAMLError(problem=problem, problem_mark=at.start_mark)
