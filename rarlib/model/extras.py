"""Packages that only a part of rarlib needs, and the command that installs them."""

from importlib.util import find_spec

EXTRA_OF = {
    "IPython": "notebooks",
    "bleach": "workflow",
    "gymnasium": "learn",
    "grimp": "workflow",
    "ipywidgets": "notebooks",
    "jinja2": "workflow",
    "jsonschema": "workflow",
    "markupsafe": "workflow",
    "matplotlib": "figures",
    "nbclient": "workflow",
    "nbconvert": "workflow",
    "nbformat": "workflow",
    "ortools": "ilp",
    "packaging": "workflow",
    "papermill": "workflow",
    "psutil": "workflow",
    "pygments": "workflow",
    "rocrate": "deposit",
    "scipy": "ilp",
    "seaborn": "figures",
    "snakemake": "workflow",
    "snakemake_interface_logger_plugins": "workflow",
}
"""Package as it is imported -> the extra of `pyproject.toml` that brings it."""


_STUDY = ("snakemake", "ipykernel")


def advice(error: ImportError, extra: str | None = None) -> str:
    """The sentence that names what to install; empty if no extra brings what could not be imported.

    Args:
        error: what went wrong.
        extra: one that a whole part of rarlib needs, named instead of the smallest one with the package.
    """
    package = (error.name or "").partition(".")[0]
    return _sentence([package], extra or EXTRA_OF[package]) if package in EXTRA_OF else ""


def lacking_for_a_study() -> str:
    """The sentence that names what to install before `snakemake` can run a study; empty if all of it is there."""
    missing = [package for package in _STUDY if find_spec(package) is None]
    return _sentence(missing, "notebooks,workflow") if missing else ""


def _sentence(packages: list[str], extras: str) -> str:
    verb, them = ("is", "it") if len(packages) == 1 else ("are", "them")
    what = " and ".join(packages)
    return f"this needs {what}, which {verb} not installed here; pip install 'rarlib[{extras}]' brings {them}"
