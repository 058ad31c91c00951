"""seaborn without what it can do without: every figure's notebook is a process of its own and pays for its imports.

Kernel densities, clustered maps, regressions and widgets need SciPy's statistics, statsmodels and ipywidgets. seaborn
works without them, no figure here uses them, and they are nine tenths of its import (0.8 s of CPU against 0.08 s).
"""

import sys

_OPTIONAL = [name for name in ("ipywidgets", "scipy.cluster", "scipy.stats", "statsmodels") if name not in sys.modules]
sys.modules.update(dict.fromkeys(_OPTIONAL))  # type: ignore[arg-type]  # None: importing it is an ImportError
try:
    import seaborn as sns
finally:
    for _name in _OPTIONAL:
        del sys.modules[_name]

__all__ = ["sns"]
