"""Command line: argument handling only."""

from rarlib.model.digits import pin_kernels

pin_kernels()
