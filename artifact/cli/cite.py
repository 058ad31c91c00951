"""`rarlib cite`: what must be cited for a figure, as BibTeX."""

from typing import Annotated

import typer

from artifact.paper.citations import bibtex, cited_for, figures


def cite(
    figure: Annotated[str | None, typer.Argument(help="Name of a figure; without it, all are listed.")] = None,
) -> None:
    """Print BibTeX of what must be cited for a figure: artifact, paper, schedulers and data, each with its reason."""
    if figure is None:
        for name, about in figures().items():
            print(f"{name:24}{about['category']}: {about['title']}")
        return
    reasons = cited_for(figure)
    print(bibtex(reasons, reasons), end="")
