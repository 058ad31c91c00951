"""What regenerates the papers with rarlib: their experiments, the ledger of claims, notebooks, report and deposit."""

from rarlib.model.digits import pin_kernels

pin_kernels()
