# Names shared by the rules: folders, tables, figures, and which code a job stands on.
from pathlib import Path

import yaml

from rarlib.declared import scheduler_module
from rarlib.workflow.closure import _digest, import_closure, notebook_modules, notebook_schedulers
from rarlib.workflow.members import members
from rarlib.traces.places import mirrors, raw_folder
from rarlib.traces.sources import read_sources

RESULTS = config["results"].rstrip("/")
ENVIRONMENT = "../../environment.yml"

# Experiment as it is written in paths -> its section of the configuration.
EXPERIMENTS = {
    name.replace("_", "-"): section
    for name, section in config["experiments"].items()
    if not config["only"] or name in config["only"]
}

# Table -> cells it joins, and the data its cells read. A cell is one member (mostly a scheduler), all seeds inside.
TABLES = {
    f"{name}-{part}": [f"{name}/{part}/{member}" for member in members(section, part)]
    for name, section in EXPERIMENTS.items()
    for part in section["cells"]
}
READS = {
    f"{name}-{part}": f"{RESULTS}/data/{data}.{'csv' if data in config['traces'] else 'json'}"
    for name, section in EXPERIMENTS.items()
    for part, data in section.get("reads", {}).items()
}
PAPERS = sorted(path.stem for path in Path("config/claims").glob("*.yaml"))
# Figure -> title, caption, tables; those whose tables this configuration makes.
FIGURES = {
    name: figure
    for name, figure in yaml.safe_load(Path("workflow/report/figures.yaml").read_text()).items()
    if set(figure["tables"]) <= TABLES.keys()
}
# Notebooks that explain; the report links to them as pages.
TUTORIALS = sorted(path.stem for path in Path("notebooks/learn").glob("*.ipynb"))


wildcard_constraints:
    table="|".join(TABLES),
    figure="[a-z0-9-]+",
    tutorial="[a-z0-9-]+",
    experiment="|".join(EXPERIMENTS),
    part="[a-z0-9-]+",
    member="[a-z0-9.-]+",
    trace="|".join(config["traces"]),
    profiles="|".join(config["profiles"]),


# Statistics from which stand-ins are drawn, and where recorded files come from.
STATISTICS = _digest(Path("data/standin").glob("*.json"))
SOURCES = _digest(["data/sources.tsv", *Path("data/standin").glob("*.json")])


# Where results lie without Snakemake's records of their parameters, nothing tells what code has made them: then this file is
# new, and as an input newer than they are.
RECORDED = Path(".snakemake/recorded")
if not RECORDED.exists():
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.touch()


def code_of(*modules):
    """Digest of the files of rarlib that the modules import: a parameter, so that an edit re-runs what stands on them."""
    return _digest(import_closure(*modules))


def module_of(experiment):
    """The module whose `run_cell` makes an experiment's cells."""
    return EXPERIMENTS[experiment]["module"]


def settings_of(experiment):
    """What an experiment's cells are told: its section but for which cells there are and what they read."""
    return {
        key: value
        for key, value in EXPERIMENTS[experiment].items()
        if key not in ("module", "cells", "reads", "without")
    }


def data_of(experiment, part):
    """The data file a cell reads; none for synthetic workloads."""
    return READS.get(f"{experiment}-{part}", [])


def code_of_cell(experiment, member):
    """Code of one cell: the experiment, the simulator, and its own scheduler alone, if its member is one."""
    own = scheduler_module(member)
    return code_of(module_of(experiment), *([own] if own else []))


def code_of_figure(figure):
    """Code of a figure: the notebook driver, and what the notebook imports."""
    notebook = Path("notebooks/figures") / f"{figure}.ipynb"
    return code_of("rarlib.workflow.notebooks", *notebook_modules(notebook))


def code_of_tutorial(tutorial):
    """Code of a notebook that explains: the same, and the schedulers that it names."""
    notebook = Path("notebooks/learn") / f"{tutorial}.ipynb"
    return code_of("rarlib.workflow.notebooks", *notebook_modules(notebook), *notebook_schedulers(notebook))


def has_files(sources):
    """Whether files of the right names are in data/raw or a mirror (their checksums are verified by the job)."""
    listed = read_sources()
    for source in (file for name in sources for file in listed.get(name, ())):
        name = Path(source.file).name
        if not (raw_folder() / source.file).is_file() and not any(next(m.rglob(name), None) for m in mirrors()):
            return False
    return True


def origin_of(kind, data):
    """Changes when a recorded file comes within reach of data that a stand-in has served so far, and only then.

    What a download brings is at hand afterwards, so its outcome must not look like a change; nor must a mirror that
    is gone when its file has been read.
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


def without_cells():
    """Everything that stands on a cell that is missing."""
    tables = {t for t, cells in TABLES.items() if not all(Path(f"{RESULTS}/cells/{c}.csv").is_file() for c in cells)}
    figures = [name for name, figure in FIGURES.items() if tables & set(figure["tables"])]
    last = ["claims.csv", "manifest.json", "report.html"] if tables else []
    return [
        *(f"{RESULTS}/tables/{table}.{ext}" for table in sorted(tables) for ext in ("csv", "json")),
        *(f"{RESULTS}/figures/{figure}.{ext}" for figure in figures for ext in ("svg", "png")),
        *(f"{RESULTS}/{name}" for name in last),
    ]
