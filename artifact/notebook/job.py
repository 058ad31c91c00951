"""What the pipeline tells a figure's notebook; imports nothing, since each job reads it before its kernel starts."""

FIGURE_FILES = "RARLIB_FIGURE"
"""Environment variable that the pipeline sets: the files that a figure's notebook reads and writes, as JSON."""
