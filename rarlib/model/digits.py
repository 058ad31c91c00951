"""The same digits on every x86 processor.

OpenBLAS and NumPy choose their kernels by processor, and those for AVX-512 round differently. A last digit may decide a
tie in a schedule, and so a completion time.
"""

import os


def pin_kernels() -> None:
    """Ask for the kernels that every supported processor has, whatever else the environment names.

    In effect only before NumPy is loaded; processes started from here inherit it.
    """
    os.environ["OPENBLAS_CORETYPE"] = "Nehalem"
    os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR"
