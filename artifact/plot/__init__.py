"""Figures of notebooks, reports and studies."""
