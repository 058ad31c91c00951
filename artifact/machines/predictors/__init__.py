"""Predictors and rivals: each file declares some in `PREDICTORS`; none is registered."""
