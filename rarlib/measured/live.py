"""A pipeline made by hand, for a reader to play with: what blocking transfers cost."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from rarlib.pipeline.flush import flush_ends
from rarlib.pipeline.stages import Pipeline
from rarlib.plot.style import MUTED

_MICROBATCHES = (1, 2, 4, 8, 16, 32, 64, 128)


def blocking_picture(stages: int, transfer: float) -> Figure:
    """Seconds of a flush per microbatch of equal stages, over the microbatches, for both readings of transfers.

    Args:
        stages: S; a forward pass of each takes 1 s, a backward pass 2 s.
        transfer: seconds of a transfer over a boundary.
    """
    pipeline = Pipeline.build([1] * stages, [1.0] * stages, [2.0] * stages, transfer_s=transfer)
    figure, ax = plt.subplots(figsize=(6.2, 3.4))
    looks = {
        True: ("o-", "#d55e00", "transfers block both sides"),
        False: ("s--", "#0072b2", "transfers beside compute"),
    }
    for blocking, (line, colour, label) in looks.items():
        ends = [flush_ends(pipeline, count, blocking=blocking).max() / count for count in _MICROBATCHES]
        ax.plot(_MICROBATCHES, ends, line, color=colour, label=label)
    ax.axhline(3.0, color=MUTED, lw=1, ls=":", label="compute of one stage")
    ax.set(xscale="log", xlabel="microbatches of a flush", ylabel="seconds per microbatch")
    ax.set_xticks(_MICROBATCHES, [str(count) for count in _MICROBATCHES])
    ax.minorticks_off()
    ax.set_ylim(bottom=0)
    ax.legend()
    return figure
