"""What seaborn is kept from importing is there for everybody else."""

import subprocess
import sys

CODE = """
import sys
from rarlib.plot.light_seaborn import sns
assert "scipy.stats" not in sys.modules and "ipywidgets" not in sys.modules
import ipywidgets, scipy.stats
assert scipy.stats.norm.cdf(0.0) == 0.5
sns.stripplot(x=[1, 2])
"""


def test_others_import_scipy_as_ever():
    """In a process of its own: here it may have been imported before."""
    subprocess.run([sys.executable, "-c", CODE], check=True)
