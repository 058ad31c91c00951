"""The same digits on every x86 processor.

OpenBLAS and NumPy choose their kernels by processor, and those for AVX-512 round differently. A last digit may decide a
tie in a schedule, and so a completion time.
"""

import os


def pin_kernels() -> None:
    """Ask for the kernels that every supported processor has; in effect only before NumPy is loaded.

    Who prefers speed sets the two variables; processes started from here inherit them.
    """
    os.environ.setdefault("OPENBLAS_CORETYPE", "Nehalem")
    os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_ICL AVX512_SPR")
