"""What a run makes, and what each of its jobs depends on besides its inputs; the rules of Snakemake ask for it."""

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from artifact.run.closure import cell_modules, files_digest, import_closure, notebook_modules, notebook_schedulers
from artifact.run.commit import commit_in_words
from artifact.run.members import members, wanted_tables
from artifact.run.notebooks import parameters_of
from artifact.run.settings import section_of, settings_of, split, values_of
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import STUDY, placed_file

_DRIVER = "artifact.run.notebooks"
_FIGURES, _TUTORIALS = Path("notebooks/figures"), Path("notebooks/learn")
_LAST = ("claims.csv", "manifest.json", "report.html", "report", "paper/numbers.tex")
"""What is made from all tables."""


def of_project(path: str) -> str:
    """A file of the project: in this folder, or for a study where the study states its own, or beside rarlib."""
    return str(placed_file(path)) if STUDY in os.environ else path


def files_of(folder: str, pattern: str) -> list[str]:
    """Files in a folder of the project, sorted."""
    return sorted(map(str, Path(of_project(folder)).glob(pattern)))


def code_of(*modules: str) -> str:
    """Digest of the files that modules import: a parameter of a job, so an edit re-runs the jobs that use them."""
    return files_digest(import_closure(*modules))


class Pipeline:
    """The tables, cells and figures that a configuration makes.

    Args:
        config: the configuration, checked.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.config = config
        self.results = config["results"].rstrip("/")
        self.experiments = {experiment: section_of(config, experiment) for experiment, _ in wanted_tables(config)}
        """Experiment, as written in paths -> its section of the configuration."""
        self.tables = {
            f"{name}-{part}": [f"{name}/{part}/{member}" for member in members(self.experiments[name], part)]
            for name, part in wanted_tables(config)
        }
        """Table -> the cells that it joins; a cell is one member (mostly a scheduler) with all seeds."""
        tutorials = sorted(path.stem for path in _TUTORIALS.glob("*.ipynb"))
        self.tutorials = [name for name in tutorials if not config["only"] or name in config["only"]]

    @cached_property
    def figures(self) -> dict[str, dict[str, Any]]:
        """Figure -> title, caption, tables; only figures whose tables this configuration makes."""
        declared = yaml_file(Path(of_project("workflow/report/figures.yaml")))
        return {name: figure for name, figure in declared.items() if set(figure["tables"]) <= self.tables.keys()}

    @property
    def shown(self) -> list[str]:
        """Tables that a figure shows."""
        return list(dict.fromkeys(table for figure in self.figures.values() for table in figure["tables"]))

    def module_of(self, experiment: str) -> str:
        """The module whose `run_cell` makes an experiment's cells."""
        return str(self.experiments[experiment]["module"])

    def data_of(self, experiment: str, part: str) -> str | list[str]:
        """The data file that a cell reads; none for synthetic workloads."""
        data = self.experiments[experiment].get("reads", {}).get(part)
        suffix = "csv" if data in self.config["traces"] else "json"
        return f"{self.results}/data/{data}.{suffix}" if data else []

    def reading_of(self, experiment: str) -> list[str]:
        """The file with what the paper of an experiment leaves open, and how it is read; none for other experiments."""
        module = self.module_of(experiment)
        files = files_of("config/readings", "*.yaml")
        return [path for path in files if f".{Path(path).stem.replace('-', '_')}." in module]

    def code_of_cell(self, experiment: str, member: str) -> str:
        """Code of one cell: the experiment and, if its member is a scheduler, this scheduler but no other."""
        return code_of(*cell_modules(self.module_of(experiment), member))

    def settings_of_cell(self, experiment: str, part: str, member: str) -> dict[str, Any]:
        """Settings of one cell: those of its table, whatever its member."""
        del member
        return settings_of(self.experiments[experiment], part)

    def cells_of(self, table: str) -> list[str]:
        """Cells that a table joins."""
        return self.tables[table]

    def is_found(self, experiment: str, part: str, member: str) -> bool:
        """Whether a cell's scheduler is not named by the configuration, but found among all that there are."""
        section = self.experiments[experiment]
        return member not in section["cells"][part] and member in members(section, part)

    def code_of_figure(self, figure: str) -> str:
        """Code of a figure: the notebook driver and the notebook's imports."""
        return code_of(_DRIVER, *notebook_modules(_FIGURES / f"{figure}.ipynb"))

    def parameters_of_figure(self, figure: str) -> dict[str, Any]:
        """The configuration's values of the parameters that a figure's notebook declares."""
        declared = parameters_of(_FIGURES / f"{figure}.ipynb")
        return values_of(self.figures[figure]["tables"], declared, self.config)

    def code_of_tutorial(self, tutorial: str) -> str:
        """Code of a tutorial: the notebook driver, the notebook's imports, and the schedulers that it names."""
        notebook = _TUTORIALS / f"{tutorial}.ipynb"
        return code_of(_DRIVER, *notebook_modules(notebook), *notebook_schedulers(notebook))

    def provenance_of(self, table: str) -> list[str]:
        """Provenance of the data that a table's cells have read; none for synthetic workloads."""
        data = self.data_of(*split(table, self.config))
        return [f"{data}.json"] if data else []

    def made_by(self, table: str) -> dict[str, Any]:
        """Settings of a table's cells and, for each of them, the digest of the code that makes it."""
        experiment, part = split(table, self.config)
        cells = self.cells_of(table)
        return {
            "module": self.module_of(experiment),
            "settings": settings_of(self.experiments[experiment], part),
            "code": {f"{cell}.csv": self.code_of_cell(experiment, cell.rsplit("/", 1)[1]) for cell in cells},
        }

    def commit(self) -> str:
        """What results are made from, in words."""
        return commit_in_words()

    def without_cells(self) -> list[str]:
        """All results that depend on a cell that is missing."""
        return self._made_from({table for table, cells in self.tables.items() if self._lacks(cells)})

    def _lacks(self, cells: Iterable[str]) -> bool:
        return not all(Path(f"{self.results}/cells/{cell}.csv").is_file() for cell in cells)

    def _made_from(self, tables: set[str]) -> list[str]:
        figures = [name for name, figure in self.figures.items() if tables & set(figure["tables"])]
        paths = [
            *(f"tables/{table}.{ext}" for table in sorted(tables) for ext in ("csv", "json")),
            *(f"provenance/{table}.json" for table in sorted(tables)),
            *(f"figures/{figure}.{ext}" for figure in figures for ext in ("svg", "png", "json")),
            *(f"paper/figures/{figure}.pdf" for figure in figures),
            *(_LAST if tables else ()),
        ]
        return [f"{self.results}/{path}" for path in paths]
