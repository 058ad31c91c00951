"""Figures of the tutorials in notebooks/learn, drawn from small tidy frames."""
