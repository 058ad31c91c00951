"""The import closure against what Python really loads."""

import json
import subprocess
import sys

import pytest

from artifact.run.closure import import_closure, notebook_modules, notebook_schedulers
from rarlib.declared import scheduler_module
from rarlib.discovery import schedulers
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT

LOADED = """
import importlib, json, sys
importlib.import_module(sys.argv[1])
print(json.dumps([m.__file__ for n, m in sys.modules.items() if n.split(".")[0] in ("artifact", "rarlib")]))
"""


@pytest.mark.parametrize("module", ["rarlib.simulator.engine", "rarlib.schedulers.las", "artifact.ledger.ledger"])
def test_closure_holds_every_file_that_is_loaded(module):
    done = subprocess.run([sys.executable, "-c", LOADED, module], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = {str(path).removeprefix(f"{ROOT}/") for path in json.loads(done.stdout)}
    assert loaded <= set(import_closure(module))


def test_a_scheduler_does_not_drag_in_its_siblings():
    files = import_closure("rarlib.simulator.engine", "rarlib.schedulers.las")
    assert "rarlib/schedulers/las.py" in files
    assert "rarlib/schedulers/fifo.py" not in files


def test_unknown_module_is_named():
    with pytest.raises(InputError, match=r"rarlib\.nowhere"):
        import_closure("rarlib.nowhere")


def test_notebook_imports_are_found_in_both_forms(tmp_path):
    source = ["from rarlib.plot import style\n", "import rarlib.records.tidy\n", "import json"]
    path = tmp_path / "a.ipynb"
    path.write_text(
        json.dumps(
            {"cells": [{"cell_type": "code", "source": source}, {"cell_type": "markdown", "source": ["import x"]}]}
        )
    )
    found = notebook_modules(path)
    assert {"rarlib.plot.style", "rarlib.records.tidy"} <= set(found)
    assert all(name.startswith(("rarlib", "artifact")) for name in found)


def test_schedulers_that_a_notebook_names_are_found():
    """By the strings of its code alone: what its texts mention is not run."""
    named = notebook_schedulers(ROOT / "notebooks/learn/07-one-busy-hour.ipynb")
    assert "rarlib.schedulers.fifo" in named
    assert set(named) < {scheduler_module(name) for name in schedulers()}
    assert notebook_schedulers(ROOT / "notebooks/learn/01-one-job.ipynb") == []
