"""The conventions of other simulators, one module each."""
