"""Figures of PipeDream, from tidy frames."""
