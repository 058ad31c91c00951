"""Packages that only a part of rarlib needs, and the command that installs them."""

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


def advice(error: ImportError) -> str:
    """The sentence that names what to install; empty if no extra brings what could not be imported."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRA_OF:
        return ""
    return f"this needs {package}, which is not installed here; pip install 'rarlib[{EXTRA_OF[package]}]' brings it"
