"""Figures of SJF-BCO, from tidy frames."""
