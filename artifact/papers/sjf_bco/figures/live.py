"""A small instance under two schedulers, for a reader who moves controls."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from rarlib.plot.gantt import gantt, job_colours


def two_schedules(schedules: Mapping[str, pd.DataFrame], sizes: Sequence[int]) -> Figure:
    """Gantt charts one above the other on the same axis; a job has one colour in both.

    `schedules`: title -> when each job holds GPUs of each server: job_id, start_s, end_s, node, gpus (slots); `sizes`:
    GPUs of each server.
    """
    figure, axes = plt.subplots(len(schedules), 1, figsize=(8.2, 1.2 + 0.42 * sum(sizes) * len(schedules)), sharex=True)
    frames = schedules.values()
    colours = job_colours(sorted({job for frame in frames for job in frame["job_id"]}), frames, sizes)
    end = max(float(frame["end_s"].max()) for frame in frames)
    for ax, (title, frame) in zip(np.atleast_1d(axes), schedules.items(), strict=True):
        gantt(ax, frame, sizes, colours=colours, title=title, end=end)
    return figure
