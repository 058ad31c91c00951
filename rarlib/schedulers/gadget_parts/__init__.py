"""Parts of GADGET: one slot, its rounding and its placement."""
