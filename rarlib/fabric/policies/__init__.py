"""Communication policies: NAME.py is one policy; none is registered."""
