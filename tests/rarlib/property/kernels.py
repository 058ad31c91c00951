"""Small computations that together call every compiled kernel; run as a program, it prints what they gave.

`python kernels.py plain` runs the kernels' Python twins instead, and lists those that were called.
"""

import ast
import json
import sys
from functools import wraps
from pathlib import Path

ROOT = Path(__file__).parents[3]
CALLED = set()


def kernels():
    """All functions that rarlib compiles, as module and name."""
    found = set()
    for path in sorted((ROOT / "rarlib").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                marks = {getattr(mark, "id", "") for mark in node.decorator_list}
                if marks & {"kernel", "hot_kernel"}:
                    found.add(f"{module}.{node.name}")
    return found


def noting(function, **options):
    """The Python twin, which notes that it was called."""
    name = f"{function.__module__}.{function.__name__}"

    @wraps(function)
    def noted(*given):
        CALLED.add(name)
        return function(*given)

    return noted


def main(mode):
    """Results as text, and the kernels called."""
    if mode == "plain":
        sys.modules["numba"] = None
        from rarlib.model import jit  # noqa: PLC0415 (first, so that every kernel is noted)

        jit._compile = noting
    from tests.rarlib.property import kernel_scenarios  # noqa: PLC0415

    results = {}
    for name, scenario in kernel_scenarios.SCENARIOS.items():
        results[name] = [repr(value) for value in scenario()]
    sys.stdout.write(json.dumps({"results": results, "called": sorted(CALLED)}))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(sys.argv[1])
