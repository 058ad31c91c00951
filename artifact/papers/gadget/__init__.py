"""GADGET (INFOCOM 2022): Figures 4 to 7, readings, competitive ratios."""
