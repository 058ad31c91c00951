"""Packages that only a part of rarlib needs, and the command that installs them."""

EXTRA_OF = {
    "gymnasium": "learn",
    "matplotlib": "figures",
    "ortools": "ilp",
    "scipy": "ilp",
}
"""Package as it is imported -> the extra of `pyproject.toml` that brings it."""


def advice(error: ImportError) -> str:
    """The sentence that names what to install; empty if no extra brings what could not be imported."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRA_OF:
        return ""
    brought = f"pip install 'rarlib[{EXTRA_OF[package]}]' brings it"
    return f"this needs {package}, which is not installed here; {brought}"
