"""The arena: every scheduler on every trace, at one price list."""
