"""One term per thing: the glossary leads to the code, and every term stands once."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.artifact.docs.pages import ROOT

GLOSSARY = ROOT / "docs" / "glossary.md"

CONTRACTS = {
    "FORMAT": "name of a trace format, read by `rarlib.traces.load`",
    "HEADER": "columns by which a trace format is recognised",
    "NOTE": "what a user must know of a trace format",
    "read": "reader of a trace format",
    "run_cell": "computes one cell of an experiment",
    "points": "points of a table of an experiment",
    "UNKNOWNS": "parameters that a paper does not state",
    "outcomes": "what one draw of a paper's unknowns gives for its published numbers",
    "quick_outcomes": "about what `outcomes` gives, in far less time",
    "measure": "tidy metrics of one run of an experiment",
    "profile_set": "profiles of a kind, read by `rarlib.traces.profile_sets`",
    "main": "entry point of a command",
    "app": "what the shell calls: the program, or a command that is more than one function",
    "schedulers": "the command, and the classes that it lists",
    "plan": "the command, and the jobs that Snakemake plans to run",
    "fit": "the command that fits laws to a trace, and the module of the parameters fitted to measured profiles",
    "simulate": "the command, and the simulator behind it",
    "evaluate": "the command, and what it runs",
    "compare": "the command, and what it runs",
    "replay": "recorded jobs gone through again: by a real Slurm (the command), and by the simulator in the arena",
    "Instance": "random instance of a paper, drawn by `instance`; and the one that a command line describes",
    "instance": "draws the instance of a seed",
    "iteration_s": "time of one iteration, under each cost model",
    "exchange_s": "time of one exchange of gradients, under each cost model",
    "least_makespan": "the same optimum, by enumeration and by a solver",
    "PREDICTORS": "predictors that a file declares",
    "job_card": "the picture of a job, from frames and from a run",
}
"""Names that several modules may define, since they mean the same in each."""

PRIVATE = frozenset(
    re.findall(
        r"\w+",
        """board cast company deal dealing dealt lesson lot news outlook room rooms
        site story stretch told world yard""",
    )
)
"""Words of no field: they may be part of no identifier."""

PROSE = re.compile(
    r"\b(?:rooms?|yards?|outlook|news|company|dealing|dealt|the house|stretch(?:es)?|lessons?|job's story)\b",
    re.IGNORECASE,
)
"""What prose says in other words."""


def modules() -> Iterator[tuple[str, Path, ast.Module]]:
    """Modules of both packages: dotted name, file, syntax tree."""
    for path in sorted(path for package in ("rarlib", "artifact") for path in (ROOT / package).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        yield name, path, ast.parse(path.read_text(encoding="utf-8"))


def bound(node: ast.stmt) -> list[str]:
    """Names that a statement of a module or class binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def rows() -> list[tuple[str, list[str]]]:
    """Terms of the glossary, and the places each names."""
    lines = re.findall(r"(?m)^\| (?!term |-)([^|]+) \|.*\| ([^|]+) \|$", GLOSSARY.read_text(encoding="utf-8"))
    return [(term, re.findall(r"`((?:rarlib|artifact)[\w.:]*)`", places)) for term, places in lines]


def stands(place: str, trees: dict[str, ast.Module]) -> bool:
    """Whether `module` or `module:name`, or `module:Class.member`, exists."""
    module, _, name = place.partition(":")
    body = trees[module].body if module in trees else None
    for part in name.split(".") if name else []:
        hits = [node for node in body or [] if part in bound(node)]
        if not hits:
            return False
        body = getattr(hits[0], "body", [])
    return body is not None


def test_every_term_leads_to_the_code() -> None:
    """A glossary that names what has moved sends its reader nowhere."""
    trees = {name: tree for name, _, tree in modules()}
    found = rows()
    assert len(found) > 40
    assert [(term, place) for term, places in found for place in places if not stands(place, trees)] == []
    assert [term for term, places in found if not places] == []


def test_every_term_stands_once() -> None:
    """One thing has one entry, and no entry is another one's synonym."""
    terms = [part for term, _ in rows() for part in term.split(", ")]
    assert sorted({term for term in terms if terms.count(term) > 1}) == []


def test_a_class_named_by_a_term_is_the_one_the_glossary_names() -> None:
    """Two things called alike, one of them in the glossary: the reader finds the wrong one."""
    places = {part: where for term, where in rows() for part in term.split(", ")}
    wrong = []
    for module, _, tree in modules():
        for node in tree.body:
            term = " ".join(re.findall(r"[A-Z][a-z]*", node.name)).lower() if isinstance(node, ast.ClassDef) else ""
            if term in places and not node.name.startswith("_") and f"{module}:{node.name}" not in places[term]:  # type: ignore[attr-defined]
                wrong.append(f"{module}:{node.name}")  # type: ignore[attr-defined]
    assert wrong == []


def words(identifier: str) -> set[str]:
    """Words of a snake_case or CamelCase identifier."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", identifier)}


def identifiers(tree: ast.Module) -> Iterator[str]:
    """Names that a module introduces: definitions, parameters, fields, variables, attributes of its objects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def test_identifiers_are_made_of_words_of_the_field() -> None:
    """A word that only its author understands has to be learned, and then unlearned elsewhere."""
    found = defaultdict(set)
    for module, _, tree in modules():
        for name in (*identifiers(tree), module.rpartition(".")[2]):
            for word in words(name) & PRIVATE:
                found[module].add(f"{name} ({word})")
    assert {module: sorted(names) for module, names in found.items()} == {}


def prose_of_code(path: Path) -> Iterator[str]:
    """Docstrings and comments of a module, without what stands in backticks."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield re.sub(r"`[^`]*`", "", node.value.value)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def prose() -> Iterator[tuple[Path, str]]:
    """Texts for readers: manual, docstrings, comments, notebooks, templates and texts of the report."""
    for path in sorted(path for package in ("rarlib", "artifact") for path in (ROOT / package).rglob("*.py")):
        yield from ((path, text) for text in prose_of_code(path))
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / name for name in ("README.md",))]
    pages += [
        ROOT / name
        for name in ("config/README.md", "config/claims/README.md", "data/README.md", "notebooks/lite/README.md")
    ]
    for path in sorted(pages):
        yield path, re.sub(r"(?ms)^```.*?^```$|`[^`\n]*`", "", path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield path, "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    for path in sorted((*(ROOT / "workflow/report").glob("*.yaml"), *(ROOT / "workflow/report").glob("*.j2"))):
        yield path, path.read_text(encoding="utf-8")


def test_prose_uses_words_of_the_field() -> None:
    """The same for readers of the manual and the report."""
    found = defaultdict(set)
    for path, text in prose():
        name = path.relative_to(ROOT).as_posix()
        found[name] |= {hit.lower() for hit in PROSE.findall(text)}
    assert {name: sorted(hits) for name, hits in sorted(found.items()) if hits} == {}
