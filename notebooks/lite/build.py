"""Builds the browser edition: `build/lite`, a static site with the learn notebooks and rarlib.

python notebooks/lite/build.py [--pyodide FOLDER] [--site build/lite]   # FOLDER: a Pyodide distribution to serve too
"""

import argparse
import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SETTINGS = ROOT / "config" / "jupyter" / "labconfig" / "default_setting_overrides.json"

NEEDS = ("numpy", "pandas", "matplotlib", "scipy", "pyyaml", "tqdm", "ipywidgets")
"""What rarlib and the learn notebooks import in the browser; all but ipywidgets is part of Pyodide."""

INSTALL = "# rarlib, into this browser tab; nothing is installed on your computer\n%pip install -q rarlib"
"""First cell of every notebook in the site."""

PROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "rarlib"
version = "{version}"
description = "rarlib with its stand-in data, for the browser"
requires-python = ">=3.11"
dependencies = {needs}
[tool.setuptools.packages.find]
include = ["rarlib*", "artifact*", "data*"]
[tool.setuptools.package-data]
rarlib = ["*.pyi"]
data = ["*.tsv", "*.csv"]
"data.standin" = ["*.json"]
"""


def version() -> str:
    """The version that `rarlib/__init__.py` names."""
    tree = ast.parse((ROOT / "rarlib" / "__init__.py").read_text(encoding="utf-8"))
    values = [n.value for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "__version__"]
    return str(ast.literal_eval(values[0]))


def stage_wheels(stage: Path, wheels: Path) -> None:
    """Rarlib with the data it looks for beside itself, and the wheels of `wheels.lock`."""
    source = stage / "source"
    source.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__", "raw")
    for folder in ("rarlib", "artifact", "data"):
        shutil.copytree(ROOT / folder, source / folder, ignore=ignored)
    (source / "pyproject.toml").write_text(PROJECT.format(version=version(), needs=list(NEEDS)), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", wheels, source], check=True)
    lock = ["--require-hashes", "-r", HERE / "wheels.lock"]
    subprocess.run([*pip, "download", "--no-deps", "--only-binary=:all:", "-d", wheels, *lock], check=True)


def stage_notebooks(files: Path) -> None:
    """The learn notebooks, each with a first cell that brings rarlib into the kernel."""
    learn = ROOT / "notebooks" / "learn"
    shutil.copytree(learn, files, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    for notebook in sorted(files.glob("*.ipynb")):
        content = json.loads(notebook.read_text(encoding="utf-8"))
        first = {"cell_type": "code", "execution_count": None, "id": "lite", "metadata": {}, "outputs": []}
        content["cells"].insert(0, {**first, "source": INSTALL.splitlines(keepends=True)})
        content["metadata"]["kernelspec"] = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
        notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def build(site: Path, pyodide: Path | None) -> None:
    """Stage beside the site, then build it."""
    stage = site.with_name(site.name + "-stage")
    for folder in (stage, site):
        shutil.rmtree(folder, ignore_errors=True)
    wheels, files = stage / "wheels", stage / "files"
    stage_wheels(stage, wheels)
    stage_notebooks(files)
    shutil.copy(HERE / "jupyter-lite.json", stage)
    shutil.copy(SETTINGS, stage / "overrides.json")
    if pyodide is not None:
        shutil.copytree(pyodide.resolve(), stage / "static" / "pyodide")  # where jupyter lite looks for one
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", stage, "--output-dir", site]
    command += ["--contents", files, "--no-sourcemaps"]
    for app in ("lab", "notebooks", "repl", "tree"):
        command += ["--apps", app]
    for wheel in sorted(wheels.glob("*.whl")):
        command += ["--piplite-wheels", wheel]
    subprocess.run(command, check=True, cwd=stage)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", type=Path, default=ROOT / "build" / "lite")
    parser.add_argument("--pyodide", type=Path, help="folder of a Pyodide distribution to serve with the site")
    options = parser.parse_args()
    build(options.site.resolve(), options.pyodide)


if __name__ == "__main__":
    main()
