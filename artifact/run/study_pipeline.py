"""What a study makes, and what its jobs depend on, as `artifact.run.pipeline` says it of the project."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from artifact.run.closure import cell_modules
from artifact.run.commit import NO_COMMIT, commit_in_words
from artifact.run.pipeline import Pipeline, code_of
from artifact.study.code import outside_code
from artifact.study.document import Study
from artifact.study.plan import cell_settings, cells_of_batch, split_part, wanted_cells


class StudyPipeline(Pipeline):
    """The cells that the looks of a study have asked for so far, and the figures and tables made from them.

    Args:
        config: the configuration that was derived from the study.
        study: the study.
        look: number of a look -> the file with what it found; Snakemake makes it first.
    """

    def __init__(self, config: Mapping[str, Any], study: Study, look: Callable[[int], Path]) -> None:
        super().__init__(config)
        self.study, self.look = study, look
        self.tutorials = []

    def data_of(self, experiment: str, part: str) -> str | list[str]:
        """The clean table of a trace; nothing for a workload, whose seeds are drawn in the cell."""
        source = self.study.sources[split_part(part)[0]]
        return [] if source.drawn else f"{self.results}/data/{source.name}.csv"

    def code_of_cell(self, experiment: str, member: str) -> str:
        """Code of one cell: that of studies, and its scheduler and cost models, whoever wrote them."""
        own = code_of(*cell_modules("artifact.study.cells", self.study.entrants[member].scheduler))
        return " ".join([own, *outside_code(self.study, member)])

    def settings_of_cell(self, experiment: str, part: str, member: str) -> dict[str, Any]:
        """Settings of one cell: only what it depends on."""
        return cell_settings(self.study, part, member)

    def is_found(self, experiment: str, part: str, member: str) -> bool:
        """All schedulers of a study are named, so one that fails fails its cell."""
        return False

    def cells_of(self, table: str) -> list[str]:
        """Cells that the looks have asked for so far."""
        return wanted_cells(self.study, self.look)

    def cells_before(self, number: int) -> list[str]:
        """Files of the cells of all batches up to a look."""
        return [f"{self.results}/cells/{cell}.csv" for cell in wanted_cells(self.study, self.look, number)]

    def provenance_of(self, table: str) -> list[str]:
        """Provenance of the traces."""
        return [f"{self.results}/data/{name}.csv.json" for name, each in self.study.sources.items() if not each.drawn]

    def commit(self) -> str:
        """What results are made from, in words: the commit of the study's folder."""
        words = commit_in_words(Path.cwd())
        return "files that are not under git" if words == NO_COMMIT else words

    def without_cells(self) -> list[str]:
        """All results that depend on a missing cell of those that the looks at hand ask for."""
        try:
            wanted = wanted_cells(self.study, lambda number: Path(f"{self.results}/looks/{number}.json"))
        except FileNotFoundError:
            wanted = cells_of_batch(self.study, 1, None)
        return self._made_from(set(self.tables) if self._lacks(wanted) else set())
