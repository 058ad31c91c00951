"""The tests that are tried on an error of a line: what `selection` found, in the order in which they run."""

import ast
import json
from collections.abc import Iterable
from pathlib import Path

from tools.mutation import ROOT

OF_CONSTANTS = ("tests/tools/test_dictionary.py", "tests/tools/test_limits.py")
"""Pages that repeat what modules say at import, which no test is seen to reach."""


def lines_of_functions(text: str) -> set[int]:
    """Lines of a module in the body of a function; defaults and decorators are no part of it."""
    functions = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef)]
    bodies = [(each.body[0].lineno, each.end_lineno or each.body[0].lineno) for each in functions]
    return {line for first, last in bodies for line in range(first, last + 1)}


class Reach:
    """What `collect` wrote for each folder of tests."""

    def __init__(self, paths: Iterable[Path], root: Path = ROOT) -> None:
        self._root = root
        self._seconds: dict[str, float] = {}
        self._reached: dict[str, dict[str, list[str]]] = {}
        for content in (json.loads(path.read_text(encoding="utf-8")) for path in paths):
            self._seconds |= content["seconds"]
            for file, lines in content["reached"].items():
                mine = self._reached.setdefault(file, {})
                for line, found in lines.items():
                    mine.setdefault(line, []).extend(found)

    def tests(self, file: str, line: int, budget_s: float) -> list[str]:
        """The tests that reach a line, the quickest first.

        Args:
            file: module below the project's folder.
            line: from 1 on; one in no function (a constant, say) runs at import, so it is reached by all tests of its
                module and by those of pages of constants; those of its package and the pages come first.
            budget_s: sum of their times, s, at most; the first one is taken in any case.
        """
        lines = self._reached.get(file, {})
        found = set(lines.get(str(line), []))
        first: tuple[str, ...] = ("",)
        if not found or line not in lines_of_functions((self._root / file).read_text(encoding="utf-8")):
            pages = [test for test in self._seconds if test.startswith(OF_CONSTANTS)]
            found = {test for tests in (*lines.values(), pages) for test in tests}
            first = (f"tests/{file.split('/')[1]}/", *OF_CONSTANTS)
        chosen: list[str] = []
        total = 0.0
        for test in sorted(found, key=lambda each: (not each.startswith(first), self._seconds[each], each)):
            total += self._seconds[test]
            if chosen and total > budget_s:
                break
            chosen.append(test)
        return chosen
