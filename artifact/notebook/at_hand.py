"""Data for what a notebook simulates live."""

from functools import cache
from pathlib import Path

from artifact.notebook.data import data_file, own_folder
from artifact.notebook.tables import results_folder
from artifact.run.settings import configuration


@cache
def data_at_hand(name: str) -> Path:
    """The file of a trace or profile set: the pipeline's, else recorded data at hand, else a stand-in.

    Args:
        name: of the trace or set in the configuration; if its file is made here, config/quick.yaml says how large.
    """
    return data_file(name, configuration("quick"), results_folder(), own_folder())
