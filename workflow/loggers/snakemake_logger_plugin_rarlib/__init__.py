"""The name under which Snakemake finds the display of progress (`--logger=rarlib`)."""

from artifact.run.display import LogHandler

__all__ = ["LogHandler"]
