"""The import closure against what Python really loads."""

import json
import subprocess
import sys

import pytest

from rarlib.experiments.closure import ROOT, import_closure
from rarlib.model.errors import InputError

LOADED = """
import importlib, json, sys
importlib.import_module(sys.argv[1])
print(json.dumps([m.__file__ for n, m in sys.modules.items() if n.split(".")[0] == "rarlib"]))
"""


@pytest.mark.parametrize("module", ["rarlib.simulator.engine", "rarlib.schedulers.las", "rarlib.experiments.ledger"])
def test_closure_holds_every_file_that_is_loaded(module):
    """A file missing here could be edited without any result being made again."""
    done = subprocess.run([sys.executable, "-c", LOADED, module], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = {str(path).removeprefix(f"{ROOT}/") for path in json.loads(done.stdout)}
    assert loaded <= set(import_closure(module))


def test_a_scheduler_does_not_drag_in_its_siblings():
    """If it did, editing one scheduler would run the cells of another."""
    files = import_closure("rarlib.simulator.engine", "rarlib.schedulers.las")
    assert "rarlib/schedulers/las.py" in files
    assert "rarlib/schedulers/fifo.py" not in files


def test_unknown_module_is_named():
    """A typo must not give an empty set of inputs."""
    with pytest.raises(InputError, match=r"rarlib\.nowhere"):
        import_closure("rarlib.nowhere")
