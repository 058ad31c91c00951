"""The layout section of docs/architecture.md, made from the package itself: `python -m tools.layout`.

The line on a package is the first line of its docstring; each package stands above those that it imports from.
"""

import ast
from pathlib import Path

import grimp

from rarlib.model.errors import InputError
from rarlib.model.project import ROOT
from tools.section import Section

SECTION = Section("architecture.md", "layout", "tools.layout")

PACKAGES = ("artifact", "rarlib")
"""From top to bottom: the library imports nothing of the artifact."""


def packages() -> list[str]:
    """Packages and modules directly below the two, such as `rarlib.cost`, each after those that it imports."""
    graph = imports()
    own = graph.modules - set(PACKAGES)
    reach = {name: len(graph.find_upstream_modules(name) & own) for name in own}
    return sorted(reach, key=lambda name: (-PACKAGES.index(name.partition(".")[0]), reach[name], name))


def imports() -> grimp.ImportGraph:
    """What the packages directly below the two import from each other, read from the code."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    for name in [name for package in PACKAGES for name in graph.find_children(package)]:
        graph.squash_module(name)
    return graph


def render() -> str:
    """The section: the tree of packages."""
    lines = ["```text"]
    for package in PACKAGES:
        lines.append(f"{package}/")
        for name in (name for name in reversed(packages()) if name.startswith(f"{package}.")):
            folder = ROOT.joinpath(*name.split("."))
            lines.append(f"  {_shown(folder):<16}{_says(folder)}")
            if folder.name == "papers":
                lines += [f"    {_shown(paper):<14}{_says(paper)}" for paper in _papers(folder)]
    return "\n".join([*lines, "```"])


def _papers(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if (path / "__init__.py").is_file())


def _shown(path: Path) -> str:
    return f"{path.name}/" if path.is_dir() else f"{path.name}.py"


def _says(path: Path) -> str:
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    doc = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    if not doc:
        raise InputError("needs a docstring", file=file)
    return doc.splitlines()[0]


if __name__ == "__main__":
    SECTION.write(render())
