"""Command line: argument handling only."""
