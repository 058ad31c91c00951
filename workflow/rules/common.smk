# Names shared by the rules: folders, tables, figures, and the code that a job depends on.
import os
from pathlib import Path

import yaml

from artifact.archive.documents import deposit_name, edition_of
from artifact.plot.paper import WIDTHS
from artifact.run.closure import _digest, cell_modules, import_closure, notebook_modules, notebook_schedulers
from artifact.run.commit import commit_in_words
from artifact.run.members import members, wanted_tables, wanted_tutorials
from artifact.run.notebooks import parameters_of
from artifact.report.slurm_rows import FILES as SLURM_FILES
from artifact.run.settings import section_of, settings_of, split, values_of
from rarlib.model.project import STUDY, placed_file
from rarlib.traces.places import mirrors, raw_folder
from rarlib.traces.sources import listed_sources, read_sources

RESULTS = config["results"].rstrip("/")


def of_project(path):
    """A file of the project: in this folder, or for a study where the study states its own, or in rarlib."""
    return str(placed_file(path)) if STUDY in os.environ else path


# A study runs in the environment that it is started in.
ENVIRONMENT = None if STUDY in os.environ else "../../environment.yml"
# Which configuration this is; deposits are named after it.
EDITION = edition_of(config)

# Experiment, as written in paths -> its section of the configuration.
EXPERIMENTS = {experiment: section_of(config, experiment) for experiment, part in wanted_tables(config)}

# Table -> the cells it joins, and the data they read. A cell is one member (mostly a scheduler) with all seeds.
TABLES = {
    f"{name}-{part}": [f"{name}/{part}/{member}" for member in members(EXPERIMENTS[name], part)]
    for name, part in wanted_tables(config)
}
READS = {
    f"{name}-{part}": f"{RESULTS}/data/{data}.{'csv' if data in config['traces'] else 'json'}"
    for name, section in EXPERIMENTS.items()
    for part, data in section.get("reads", {}).items()
    if f"{name}-{part}" in TABLES
}
PAPERS = sorted(path.stem for path in Path(of_project("config/claims")).glob("*.yaml"))
CLAIM_FILES = [of_project(f"config/claims/{paper}.yaml") for paper in PAPERS]
READING_FILES = sorted(map(str, Path(of_project("config/readings")).glob("*.yaml")))
# Figure -> title, caption, tables; only figures whose tables this configuration makes.
FIGURES = {
    name: figure
    for name, figure in yaml.safe_load(Path(of_project("workflow/report/figures.yaml")).read_text()).items()
    if set(figure["tables"]) <= TABLES.keys()
}
# Tables that a figure shows.
SHOWN = list(dict.fromkeys(table for figure in FIGURES.values() for table in figure["tables"]))
# Tutorial notebooks; the report links to them as pages.
TUTORIALS = wanted_tutorials(sorted(path.stem for path in Path("notebooks/learn").glob("*.ipynb")), config)


# A constraint that no value meets.
NOTHING = "(?!)"


wildcard_constraints:
    table="|".join(TABLES),
    figure="[a-z0-9-]+",
    tutorial="[a-z0-9-]+",
    experiment="|".join(EXPERIMENTS),
    part="[a-z0-9-]+",
    member="[a-z0-9.-]+",
    trace="|".join(config["traces"]) or NOTHING,
    profiles="|".join(config["profiles"]) or NOTHING,


# Statistics from which stand-ins are drawn, and where recorded files come from.
STATISTICS = _digest(Path(of_project("data/standin")).glob("*.json"))
SOURCES = _digest([of_project("data/sources.tsv"), *Path(of_project("data/standin")).glob("*.json")])
# Where files with what others measured come from, and the accepted scores, which are shown where these files are missing.
MEASURED = Path(of_project("data/measured.tsv"))
ACCEPTED = sorted(map(str, Path(of_project("results/expected")).glob("measured*.csv")))
# The accepted comparison with a real Slurm; the report of a study does not show it.
SLURM = [] if STUDY in os.environ else list(SLURM_FILES)


# Results without Snakemake's records of their parameters may come from any version of the code. In that case this file
# is created anew; as an input that is newer than the results it makes them run again.
RECORDED = Path(".snakemake/recorded")
if not RECORDED.exists():
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.touch()


def code_of(*modules):
    """Digest of the files of rarlib that the modules import: a parameter, so an edit re-runs the jobs that use them."""
    return _digest(import_closure(*modules))


def module_of(experiment):
    """The module whose `run_cell` makes an experiment's cells."""
    return EXPERIMENTS[experiment]["module"]


def commit_of_results():
    """What results are made from, in words."""
    return commit_in_words()


def data_of(experiment, part):
    """The data file a cell reads; none for synthetic workloads."""
    return READS.get(f"{experiment}-{part}", [])


def reading_of(experiment):
    """The file with what the paper of an experiment leaves open, and how it is read; none for other experiments."""
    return [path for path in READING_FILES if f".{Path(path).stem.replace('-', '_')}." in module_of(experiment)]


def code_of_cell(experiment, member):
    """Code of one cell: the experiment and, if its member is a scheduler, this scheduler but no other."""
    return code_of(*cell_modules(module_of(experiment), member))


def settings_of_cell(experiment, part, member):
    """Settings of one cell: here those of its table."""
    return settings_of(EXPERIMENTS[experiment], part)


def cells_of(table):
    """Cells that a table joins."""
    return TABLES[table]


def is_found(experiment, part, member):
    """Whether a cell's scheduler is not named by the configuration, but found among all that there are."""
    section = EXPERIMENTS[experiment]
    return member not in section["cells"][part] and member in members(section, part)


def code_of_figure(figure):
    """Code of a figure: the notebook driver and the notebook's imports."""
    notebook = Path("notebooks/figures") / f"{figure}.ipynb"
    return code_of("artifact.run.notebooks", *notebook_modules(notebook))


def knobs_of(figure):
    """The configuration's values of the parameters that a figure's notebook declares."""
    declared = parameters_of(Path("notebooks/figures") / f"{figure}.ipynb")
    return values_of(FIGURES[figure]["tables"], declared, config)


def code_of_tutorial(tutorial):
    """Code of a tutorial: the notebook driver, the notebook's imports, and the schedulers that it names."""
    notebook = Path("notebooks/learn") / f"{tutorial}.ipynb"
    return code_of("artifact.run.notebooks", *notebook_modules(notebook), *notebook_schedulers(notebook))


def has_files(sources):
    """Whether files with the right names are in data/raw or a mirror (the job verifies their checksums)."""
    listed = listed_sources()
    for source in (file for name in sources for file in listed.get(name, ())):
        name = Path(source.file).name
        if not (raw_folder() / source.file).is_file() and not any(next(m.rglob(name), None) for m in mirrors()):
            return False
    return True


def lists_of(profiles):
    """Digest of the lists that a profile set finds its files with."""
    recorded = set(config["profiles"][profiles]["sources"]) <= read_sources().keys()
    return SOURCES if recorded or not MEASURED.is_file() else _digest([MEASURED])


def origin_of(kind, data):
    """A parameter that changes only when a recorded file becomes available for data that were a stand-in so far.

    A downloaded file is available afterwards, so a download must not look like a change; nor must a mirror that is gone
    after its file has been read.
    """
    sources = [data] if kind == "trace" else config["profiles"][data]["sources"]
    path = Path(f"{RESULTS}/logs/{kind}/{data}.origin")
    last = path.read_text().strip() if path.is_file() else "stand-in"
    if last in ("stand-in", "download"):
        return "at hand" if last == "stand-in" and has_files(sources) else "download or stand-in"
    return "at hand"


def provenance_of(table):
    """Provenance of the data that a table's cells have read; none for synthetic workloads."""
    return [f"{READS[table]}.json"] if table in READS else []


def made_by(table):
    """Settings of a table's cells and, for each of them, the digest of the code that makes it."""
    experiment, part = split(table, config)
    cells = cells_of(table)
    return {
        "module": module_of(experiment),
        "settings": settings_of(EXPERIMENTS[experiment], part),
        "code": {f"{cell}.csv": code_of_cell(experiment, cell.rsplit("/", 1)[1]) for cell in cells},
    }


def without_cells():
    """All results that depend on a missing cell."""
    tables = {t for t, cells in TABLES.items() if not all(Path(f"{RESULTS}/cells/{c}.csv").is_file() for c in cells)}
    figures = [name for name, figure in FIGURES.items() if tables & set(figure["tables"])]
    last = ["claims.csv", "manifest.json", "report.html", "paper/sample.tex"] if tables else []
    return [
        *(f"{RESULTS}/tables/{table}.{ext}" for table in sorted(tables) for ext in ("csv", "json")),
        *(f"{RESULTS}/provenance/{table}.json" for table in sorted(tables)),
        *(f"{RESULTS}/figures/{figure}.{ext}" for figure in figures for ext in ("svg", "png", "json")),
        *(f"{RESULTS}/paper/figures/{figure}-{width}.pdf" for figure in figures for width in WIDTHS),
        *(f"{RESULTS}/{name}" for name in last),
    ]
