"""A figure of draws of what a paper leaves open: its picture, and what the draws say."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from artifact.ledger import draws_in_words, inference
from artifact.notebook.figure import DRAWN, OpenFigure, open_figure
from artifact.plot.inference import draw_inference
from artifact.unknowns import Unknown


@dataclass(frozen=True)
class OpenDraws:
    """What a notebook of draws works with.

    Attributes:
        run: the opened figure, whose first table holds the draws.
        drawn: the draws.
        labels: of the published numbers, by id.
    """

    run: OpenFigure
    drawn: inference.Draws
    labels: "pd.Series[str]"

    def show(self, standin: str = DRAWN) -> None:
        """Show the figure."""
        drawn = self.drawn
        print(f"{len(drawn.parameters)} draws, {len(drawn.published)} published numbers.")  # noqa: T201
        numbers, posterior = inference.by_number(drawn).set_axis(self.labels), inference.posterior(drawn)
        nearest = f"{len(drawn.nearest())} draws"
        hits = inference.hits(drawn)
        self.run.show(draw_inference, hits, numbers, drawn.parameters, posterior, nearest=nearest, standin=standin)

    def unknowns(self, listed: Iterable[Unknown], readings: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
        """What is drawn, why, and its values in the readings and among the nearest draws."""
        return draws_in_words.prior_ranges(listed, readings).join(inference.posterior(self.drawn).round(3))

    def effects(self) -> pd.DataFrame:
        """Percent of each number's variance over the draws that each unknown explains alone."""
        effects = (100 * inference.main_effects(self.drawn)).round(0).astype(int)
        return effects.T.assign(published=self.drawn.published).set_axis(self.labels)

    def contradictions(self) -> pd.DataFrame:
        """Say what remains contradictory, and list the pairs of numbers that never come out together."""
        from IPython.display import Markdown, display  # noqa: PLC0415 - a script has no IPython

        display(Markdown(draws_in_words.what_remains(self.drawn, self.labels)))
        pairs = inference.never_together(self.drawn)
        names = {end: pairs[end].map(self.labels) for end in ("first", "second")}
        return pairs.assign(**names).head(15).round(1)


def open_draws(name: str, names: Mapping[str, Any], shorter: Mapping[str, str] | None = None) -> OpenDraws:
    """Open a figure of draws.

    Args:
        name: of the figure.
        names: the notebook's `globals()`.
        shorter: text in labels -> what takes its place.
    """
    run = open_figure(name, names)
    drawn = inference.read_draws(next(iter(run.tables.values())))
    labels = draws_in_words.labels(drawn, run.published)
    for long, short in (shorter or {}).items():
        labels = labels.str.replace(long, short)
    return OpenDraws(run, drawn, labels)
