"""Recorded runs: read back, explained, exported."""
