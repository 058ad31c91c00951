"""Figures of Sia, from tidy frames."""
