"""The public names of rarlib: docs/api.md for readers, and docs/api.txt, their signatures.

python -m tools.api

Both are read from the syntax trees of the modules that `rarlib/__init__.pyi` names, so they are the same on every
Python. A test compares docs/api.txt with the code, so that no signature changes unseen.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rarlib.model.files import write_text
from rarlib.model.project import ROOT

SECTIONS = {
    "Jobs and clusters": ("load_trace", "Trace", "Jobs", "Job", "Cluster", "ParsedTrace"),
    "Costs": ("make_cost_model", "cost_model_names", "CostModel", "Prices"),
    "Schedulers": ("make_scheduler", "scheduler_names", "Scheduler", "View", "Start", "Stop", "Wake", "Allocation"),
    "Runs": ("simulate", "Run", "write_run", "compare"),
    "Policies in files": ("evaluate", "Evaluation"),
    "Figures": ("look", "Look"),
    "Lower bounds": ("lower_bounds", "Bound", "largest_bound"),
    "Errors": ("InputError", "DecisionError", "SchedulerError"),
}
PAGE, LISTING = ROOT / "docs" / "api.md", ROOT / "docs" / "api.txt"
_HEAD = """\
# The public surface

These names may be imported from `rarlib`. They change only with an entry in the [release notes](release-notes.md);
everything else may change at any time. `help(rarlib.simulate)` prints the arguments of a name. Made by
`python -m tools.api` from the docstrings.

```python
import rarlib

jobs = rarlib.Jobs.build(submit_s=[0, 0, 60], gpus=[6, 2, 8], duration_s=[3600, 900, 600])
cluster, cost = rarlib.Cluster.parse("3x4"), rarlib.make_cost_model("ring")
for name in ("fifo", "srtf"):
    run = rarlib.simulate(jobs, cluster, rarlib.make_scheduler(name), cost)
    print(f"{name:5} {run.turnaround_s.mean():6.1f} s")
bounds = rarlib.lower_bounds(jobs, cluster, cost.price(jobs, cluster))
print(f"bound {rarlib.largest_bound(bounds, 'mean_jct').value_s:6.1f} s")
```

```text output
"""


class Public(NamedTuple):
    """A public name: the module that defines it, and its node in the syntax tree."""

    name: str
    module: str
    node: ast.FunctionDef | ast.ClassDef


def public() -> dict[str, Public]:
    """The public names in the order of the stub."""
    found: dict[str, Public] = {}
    for line in ast.parse((ROOT / "rarlib" / "__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(line, ast.ImportFrom):
            module = str(line.module)
            path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
            tree = ast.parse(path.read_text(encoding="utf-8"))
            named = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
            found |= {alias.name: Public(alias.name, module, named[alias.name]) for alias in line.names}
    return found


def signatures(entry: Public) -> list[str]:
    """The signature of a function, or the class with its fields and public methods: one line each."""
    if isinstance(entry.node, ast.FunctionDef):
        return [_call(entry.name, entry.node)]
    bases = ", ".join(map(ast.unparse, entry.node.bases))
    return [f"class {entry.name}({bases})", *(f"{entry.name}.{line}" for line, _ in members(entry.node))]


def members(node: ast.ClassDef) -> Iterator[tuple[str, ast.FunctionDef | None]]:
    """Signatures of fields, properties and methods that users may rely on; methods and properties with their nodes."""
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and not each.target.id.startswith("_"):
            yield ast.unparse(each), None
        elif isinstance(each, ast.FunctionDef) and (each.name == "__init__" or not each.name.startswith("_")):
            if any(isinstance(mark, ast.Name) and mark.id == "property" for mark in each.decorator_list):
                yield f"{each.name}: {ast.unparse(each.returns) if each.returns else 'Any'}", each
            else:
                yield _call(each.name, each), each


def _call(name: str, node: ast.FunctionDef) -> str:
    given = ast.unparse(node.args)
    given = re.sub(r"^(self|cls)(, |$)", "", given)
    return f"{name}({given})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def listing(names: Mapping[str, Public]) -> str:
    """The names in order, each with its signatures."""
    return "\n\n".join("\n".join([f"[{name}]", *signatures(names[name])]) for name in sorted(names)) + "\n"


def page(names: Mapping[str, Public], printed: str) -> str:
    """docs/api.md.

    Args:
        names: the public names.
        printed: what the example prints.
    """
    parts = [_HEAD + printed + "```\n"]
    for title, wanted in SECTIONS.items():
        parts += [f"## {title}\n\n| name | what it is |\n|---|---|", *(_row(names[name]) for name in wanted), ""]
    return "\n".join(parts)


def _row(entry: Public) -> str:
    call = "()" if isinstance(entry.node, ast.FunctionDef) else ""
    path = f"../{entry.module.replace('.', '/')}.py"
    said = (ast.get_docstring(entry.node) or "").partition("\n\n")[0]
    return f"| [`{entry.name}{call}`]({path}) | {' '.join(said.split()).replace('|', chr(92) + '|')} |"


def printed_by_example() -> str:
    """What the example of the page prints."""
    import contextlib  # noqa: PLC0415
    import io  # noqa: PLC0415

    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(_HEAD.partition("```python\n")[2].partition("```")[0], "docs/api.md", "exec"), {})
    return out.getvalue()


def main() -> None:
    """Write both files."""
    names = public()
    write_text(LISTING, listing(names))
    write_text(PAGE, page(names, printed_by_example()))


if __name__ == "__main__":
    main()
