"""Figures of the arena, from tidy frames."""
