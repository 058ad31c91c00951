"""Analytic layer profiles: models as tables of layer shapes, priced by a stated device."""
