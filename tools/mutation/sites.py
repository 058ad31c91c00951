"""The places in which an error can be put, and the errors: Cosmic Ray's operators, without those that say little.

Its operator replacements are reduced to the usual selective set: a boundary moved, a comparison turned around, an
operation replaced by its inverse. Annotations are left alone, since they change nothing at run time.
"""

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

from tools.mutation import ROOT

_BINARY = (
    *("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Div", "Mod_FloorDiv", "Pow_Mul"),
    *("BitAnd_BitOr", "BitOr_BitAnd", "LShift_RShift", "RShift_LShift"),
)
_COMPARISONS = (
    *("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt"),
    *("Lt_GtE", "LtE_Gt", "Gt_LtE", "GtE_Lt", "Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"),
)
OPERATORS = (
    *(f"ReplaceBinaryOperator_{pair}" for pair in _BINARY),
    *(f"ReplaceComparisonOperator_{pair}" for pair in _COMPARISONS),
    *("ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_USub_UAdd", "AddNot"),
    *("ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ZeroIterationForLoop", "NumberReplacer"),
)


Span = tuple[tuple[int, int], tuple[int, int]]
"""From one (line, column) to another one, which lies outside."""


class Mutant(NamedTuple):
    """One error in one place.

    Attributes:
        file: path of the module below the project's folder.
        operator: one of `OPERATORS`.
        occurrence: which of the operator's changes in this file, from 0 on.
        line: the line that it changes, from 1 on.
    """

    file: str
    operator: str
    occurrence: int
    line: int

    @property
    def package(self) -> str:
        """The package below `rarlib` that it lies in."""
        return self.file.split("/")[1]

    @property
    def name(self) -> str:
        """What `--only` takes."""
        return f"{self.file}:{self.operator}:{self.occurrence}"

    def order(self, seed: int) -> str:
        """Place in the order in which mutants are tried: drawn at random, and the same for any number of them."""
        return hashlib.sha256(f"{seed}:{self.name}".encode()).hexdigest()

    def source(self) -> str:
        """The module's text with the error."""
        text = (ROOT / self.file).read_text(encoding="utf-8")
        changed = mutate_code(text, _operator(self.operator), self.occurrence)
        assert changed is not None, self.name
        return str(changed)

    def says_something(self) -> bool:
        """Whether the text is still a program, and another one; what no test can find is not tried."""
        try:
            ast.parse(self.source())
        except SyntaxError:
            return False
        # The clock is an array of one row, whose first row is also its last.
        return "run[ -1]" not in self.lines()[1]

    def lines(self) -> tuple[str, str]:
        """The first line that differs, before and after."""
        before = (ROOT / self.file).read_text(encoding="utf-8").split("\n")
        after = self.source().split("\n")
        return next((old.strip(), new.strip()) for old, new in zip(before, after, strict=False) if old != new)


def mutants(package: str) -> list[Mutant]:
    """All mutants of a package, by file, operator and occurrence."""
    files = sorted((ROOT / "rarlib" / package).rglob("*.py"))
    return [mutant for file in files for mutant in _mutants_of(file)]


def _mutants_of(file: Path) -> Iterator[Mutant]:
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    spans, signatures = _annotations(tree), _signatures(tree)
    nodes = list(ast_nodes(get_ast(text)))
    for name in OPERATORS:
        operator, occurrence = _operator(name), -1
        without = spans + signatures * name.startswith("ReplaceBinaryOperator")
        for node in nodes:
            for start, _ in operator.mutation_positions(node):
                occurrence += 1
                if not any(first <= start < last for first, last in without):
                    yield Mutant(file.relative_to(ROOT).as_posix(), name, occurrence, start[0])


def _operator(name: str) -> Any:
    return get_operator(f"core/{name}")()


def _signatures(tree: ast.Module) -> list[Span]:
    """Where the parameters of functions are listed: `*` and `/` separate them there."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return [((node.lineno, 0), (node.body[0].lineno, 0)) for node in functions]


def _annotations(tree: ast.Module) -> list[Span]:
    """Where annotations begin and end, as (line, column); columns count bytes, which suffices for ASCII types."""
    found = []
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            part = getattr(node, field, None)
            if isinstance(part, ast.expr):
                end = (part.end_lineno or part.lineno, part.end_col_offset or part.col_offset)
                found.append(((part.lineno, part.col_offset), end))
    return found
