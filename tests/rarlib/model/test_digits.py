"""Kernels of linear algebra and of elementary functions do not depend on the processor."""

import json
import os
import platform
import subprocess
import sys

import pytest

SHOW = """
import ctypes, json, pathlib, {package}
import numpy
(library,) = pathlib.Path(numpy.__file__).parents[1].glob("numpy.libs/libscipy_openblas*")
name = ctypes.CDLL(str(library)).scipy_openblas_get_corename64_
name.restype = ctypes.c_char_p
print(json.dumps([name().decode(), numpy._core._multiarray_umath.__cpu_features__["X86_V4"]]))
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors have other kernels")
@pytest.mark.parametrize("package", ["artifact", "rarlib.cli.main"])
def test_every_x86_processor_runs_the_same_kernels(package):
    """Also where the environment names others, as some do for the sake of older libraries."""
    others = os.environ | {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": ""}
    said = subprocess.check_output([sys.executable, "-c", SHOW.format(package=package)], env=others)
    assert json.loads(said) == ["Nehalem", False]
