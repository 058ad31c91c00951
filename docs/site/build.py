"""Builds the manual as a site: `build/site`, of the project's pages and executed tutorials, without a network.

python -m docs.site.build [--sphinx .venv-docs/bin/python] [--site build/site] [--execute '*']
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import nbformat

from artifact.report.harmless import shown_only
from artifact.run.notebooks import run_tutorial
from rarlib.model.project import ROOT

HERE = ROOT / "docs" / "site"

PARTS = (
    "docs",
    "rarlib",
    "config",
    "notebooks",
    "data",
    "workflow",
    "tools",
    "results/expected",
)
"""Folders with pages, or with files that pages link to."""

PAGES = (
    "*.md",
    "docs/*.md",
    "config/**/*.md",
    "data/*.md",
    "workflow/archive/*.md",
    "docs/site/README.md",
    "notebooks/**/*.md",
)
FRONT = "docs/README.md"

EXECUTED = "*Executed when this site was built, on stand-ins for recorded traces and without sliders.*"
NOT_EXECUTED = "*Not executed for this site.*"

_KIND = re.compile(r"(?m)^## (?P<kind>[\w-]+): .*$")
_TARGET = re.compile(r"\]\((?P<target>[^)#\s]+\.md)\)")
_REMOTE = re.compile(r"!\[([^\]]*)\]\(https?:[^)]*\)")
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)#:\s]+)\)")


def kinds(index: str) -> dict[str, list[str]]:
    """Kind -> pages under it, as links from docs/."""
    parts = _KIND.split(index)
    return {kind: _TARGET.findall(text) for kind, text in zip(parts[1::2], parts[2::2], strict=True)}


def menu(index: str, tutorials: list[str], others: list[str]) -> str:
    """The pages of each kind as Sphinx's tables of contents; tutorials follow their README."""
    found = kinds(index)
    known = {os.path.normpath(f"docs/{page}") for pages in found.values() for page in pages}
    found["Tutorials"] += [f"../{name}" for name in tutorials]
    found["Project"] = [f"../{page}" for page in others if page not in known | {FRONT}]
    return "\n".join(
        f"```{{toctree}}\n:hidden:\n:caption: {kind}\n\n" + "\n".join(pages) + "\n```\n"
        for kind, pages in found.items()
    )


def stage_pages(stage: Path) -> list[str]:
    """Copy pages and what they link to; links to folders become links to their READMEs, or plain words.

    Returns:
        the pages, as paths in the stage.
    """
    ignored = shutil.ignore_patterns("__pycache__", "raw", ".ipynb_checkpoints")
    for part in PARTS:
        shutil.copytree(ROOT / part, stage / part, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith(".git"):
            shutil.copy(path, stage / path.name)
    pages = sorted({path.relative_to(stage).as_posix() for pattern in PAGES for path in stage.glob(pattern)})
    for page in pages:
        path = stage / page
        text = _REMOTE.sub(r"\1", path.read_text(encoding="utf-8"))
        text = _LINK.sub(lambda found, path=path: _leads(path, found), text)
        path.write_text(text, encoding="utf-8")
    index = (stage / FRONT).read_text(encoding="utf-8")
    learn = sorted(path.relative_to(stage).as_posix() for path in (stage / "notebooks" / "learn").glob("*.ipynb"))
    about = (HERE / "about.md").read_text(encoding="utf-8")
    others = sorted({p.relative_to(stage / "notebooks").as_posix() for p in stage.glob("notebooks/**/*.ipynb")})
    gallery = "\n".join(name for name in others if not name.startswith("learn/"))
    with (stage / "notebooks" / "README.md").open("a", encoding="utf-8") as page:
        page.write(f"\n```{{toctree}}\n:hidden:\n\n{gallery}\n```\n")
    (stage / FRONT).write_text(f"{index}\n{about}\n{menu(index, learn, pages)}", encoding="utf-8")
    return pages


def _leads(page: Path, found: re.Match[str]) -> str:
    target = page.parent / found["target"]
    if target.is_dir():
        readme = target / "README.md"
        return f"[{found['text']}]({found['target'].rstrip('/')}/README.md)" if readme.is_file() else found["text"]
    return found[0] if target.is_file() else found["text"]


def execute(notebook: Path) -> None:
    """Replace a tutorial by its executed copy, without what must not be published."""
    executed = notebook.with_suffix(".executed")
    run_tutorial(notebook, executed)
    content = shown_only(nbformat.read(executed, as_version=4))
    executed.unlink()
    content.cells.insert(1, nbformat.v4.new_markdown_cell(EXECUTED, id="site"))
    notebook.write_text(nbformat.writes(content).replace(f"{ROOT}/", "") + "\n", encoding="utf-8")


def picture(notebook: Path) -> None:
    """Say on the page of a notebook that it was not executed, and show the picture that the project keeps of it."""
    content = nbformat.read(notebook, as_version=4)
    shown = next(notebook.parents[1].glob(f"**/pictures/{notebook.stem}.png"), None)
    drawn = f"\n\n![Picture that this notebook draws]({os.path.relpath(shown, notebook.parent)})" if shown else ""
    content.cells.insert(1, nbformat.v4.new_markdown_cell(NOT_EXECUTED + drawn, id="site"))
    content.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    nbformat.write(content, notebook)


def build(site: Path, python: Path, pattern: str) -> None:
    """Stage beside the site, then build it.

    Raises:
        subprocess.CalledProcessError: Sphinx found something wrong, a dead link included.
    """
    stage = site.with_name(site.name + "-stage")
    for folder in (stage, site):
        shutil.rmtree(folder, ignore_errors=True)
    stage.mkdir(parents=True)
    pages = stage_pages(stage)
    notebooks = sorted((stage / "notebooks").rglob("*.ipynb"))
    chosen = set((stage / "notebooks" / "learn").glob(f"{pattern}.ipynb"))
    for notebook in set(notebooks) - chosen:
        picture(notebook)
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as workers:
        list(workers.map(execute, sorted(chosen)))
    included = ",".join([*pages, *(path.relative_to(stage).as_posix() for path in notebooks)])
    command = [python, "-m", "sphinx", "-q", "-W", "-j", "auto", "-b", "html", "-c", HERE, "-d", stage / ".doctrees"]
    subprocess.run([*command, "-D", f"include_patterns={included}", stage, site], check=True)
    (site / ".buildinfo").unlink(missing_ok=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build the manual as a site.")
    parser.add_argument(
        "--sphinx",
        type=Path,
        default=ROOT / ".venv-docs/bin/python",
        help="a Python with the packages of docs/site/tools.lock",
    )
    parser.add_argument("--site", type=Path, default=ROOT / "build" / "site", help="folder to be written anew")
    parser.add_argument(
        "--execute", default="*", help="which tutorials to execute, a pattern; the others have no output"
    )
    given = parser.parse_args()
    try:
        build(given.site.resolve(), given.sphinx.absolute(), given.execute)
    except subprocess.CalledProcessError as error:
        sys.exit(f"error: Sphinx ended with {error.returncode}; what it says is above")
