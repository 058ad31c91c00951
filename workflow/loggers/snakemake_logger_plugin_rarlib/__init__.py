"""The name under which Snakemake finds the display of progress (`--logger=rarlib`)."""

from rarlib.workflow.display import LogHandler

__all__ = ["LogHandler"]
