"""Learn notebooks run with what Pyodide has: no Numba, no OR-Tools, and only what the site installs."""

import json
import os
import subprocess
import sys

import pytest

from tests.artifact.notebooks.learn import NOTEBOOKS

SLOW = "08-your-scheduler"
"""Its hundreds of runs take a minute as plain Python, so it keeps Numba here."""

PYODIDE = {
    *("numpy", "pandas", "matplotlib", "scipy", "yaml", "tqdm"),
    *("PIL", "contourpy", "cycler", "dateutil", "fontTools", "kiwisolver", "mpl_toolkits", "packaging"),
    *("pyparsing", "pytz", "six"),
}
"""What rarlib may import there, and what these packages import."""

SCRIPT = """\
import json, sys
from tests.artifact.notebooks.learn import NOTEBOOKS, run

allowed, only, absent = (set(each) for each in json.loads(sys.argv[1]))
allowed |= {"artifact"} | {name.partition(".")[0] for name in sys.modules} | set(sys.stdlib_module_names)
asked = []


class Pyodide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in allowed:
            asked.append(name)
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, Pyodide())
sys.modules |= dict.fromkeys(absent)
for notebook in NOTEBOOKS:
    if notebook.stem in only:
        run(notebook)
        print("ran", notebook.stem)
"""


def ran(names, allowed, absent):
    """Names of the notebooks that ran to their end."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = json.dumps([sorted(allowed), names, absent])
    command = [sys.executable, "-c", SCRIPT, arguments]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return [line.removeprefix("ran ") for line in found.stdout.splitlines() if line.startswith("ran ")]


@pytest.mark.parametrize(
    ("names", "allowed", "absent"),
    [
        pytest.param(
            [path.stem for path in NOTEBOOKS if path.stem != SLOW],
            PYODIDE,
            ["numba", "ortools", "psutil"],
            marks=pytest.mark.release,
        ),
        ([SLOW], PYODIDE | {"numba", "llvmlite"}, ["ortools", "psutil"]),
    ],
    ids=["most", "slow"],
)
def test_notebooks_need_nothing_else(names, allowed, absent):
    assert ran(names, allowed, absent) == names
