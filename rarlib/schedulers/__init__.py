"""Schedulers: NAME.py is one scheduler, NAME_parts/ its private parts, shared/ what several use; none is registered."""
