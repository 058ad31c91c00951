"""One scheduler per file; every module here is found by itself, nothing is registered."""
