"""Figures of GADGET, from tidy frames."""
