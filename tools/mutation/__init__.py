"""Mutation tests: small errors are put into the code, one at a time, and the tests have to find them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("model", "cost", "simulator", "ilp", "bounds")
"""The packages of rarlib that get errors."""

KILLED, TIMED_OUT, SURVIVED, UNREACHED = "killed", "timed out", "survived", "unreached"
"""What becomes of an error: a test fails, the tests do not end, all pass, or no test reaches its line."""
