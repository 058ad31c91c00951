"""Pictures in a notebook: with alternative text, and closed once they are shown."""

import base64
import io
from html import escape

import matplotlib.pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def display_picture(figure: Figure, alt: str) -> None:
    """Show a figure below the cell, with a text for readers who cannot see it; it cannot be changed afterwards."""
    from IPython.display import display  # noqa: PLC0415 - a script has no IPython

    # An output of type image/png has no alternative text in JupyterLab, whatever its metadata say; an <img> has.
    file = io.BytesIO()
    FigureCanvasAgg(figure).print_png(file, metadata={"Software": None})  # `savefig` would draw it twice
    source = base64.b64encode(file.getvalue()).decode()
    content = {"text/html": f'<img src="data:image/png;base64,{source}" alt="{escape(alt)}">', "text/plain": alt}
    display(content, raw=True)
    plt.close(figure)
