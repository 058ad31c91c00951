"""What notebooks import, call and look up exists: their code is checked as mypy checks the modules."""

from pathlib import Path

import nbformat
from mypy import api

ROOT = Path(__file__).parents[3]
# Names in a notebook may change their type, and functions need no annotations. This is said in each file, since options
# of the command would make worthless what mypy remembers of the project's modules.
LOOSE = """# mypy: disable-error-code="assignment, arg-type, call-overload, index, var-annotated", allow-untyped-defs
"""


def test_names_calls_and_attributes_exist(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    for notebook in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        cells = nbformat.read(notebook, as_version=4).cells
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        name = f"{notebook.stem.replace('-', '_')}_.py"
        (tmp_path / name).write_text("\n\n".join([LOOSE, *code]), encoding="utf-8")
    found, wrong, _ = api.run(["--scripts-are-modules", *map(str, sorted(tmp_path.glob("*.py")))])
    assert not wrong, wrong
    assert "error:" not in found, found
