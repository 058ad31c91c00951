"""Figures of AITurbo, from tidy frames."""
