# Names that the rules share. RUN, of artifact.run.pipeline, says what is made, and on what each job depends.
import os
from pathlib import Path

from artifact.archive.documents import deposit_name, edition_of
from artifact.report.slurm_rows import FILES as SLURM_FILES
from artifact.run.origins import lists_of, origin_of, sources, statistics
from artifact.run.pipeline import code_of, files_of, of_project
from rarlib.model.project import STUDY

RESULTS, TABLES, FIGURES, TUTORIALS = RUN.results, RUN.tables, RUN.figures, RUN.tutorials
SOURCES, STATISTICS = sources(), statistics()
CLAIM_FILES, READING_FILES = files_of("config/claims", "*.yaml"), files_of("config/readings", "*.yaml")
# The accepted scores, which are shown where files with what others measured are missing.
ACCEPTED = files_of("results/expected", "measured*.csv")
# The accepted comparison with a real Slurm; the report of a study does not show it.
SLURM = [] if STUDY in os.environ else list(SLURM_FILES)
# A study runs in the environment that it is started in.
ENVIRONMENT = None if STUDY in os.environ else "../../environment.yml"
# Which configuration this is; deposits are named after it.
EDITION = edition_of(config)
# A constraint that no value meets.
NOTHING = "(?!)"


wildcard_constraints:
    table="|".join(TABLES),
    figure="[a-z0-9-]+",
    tutorial="[a-z0-9-]+",
    experiment="|".join(RUN.experiments),
    part="[a-z0-9-]+",
    member="[a-z0-9.-]+",
    trace="|".join(config["traces"]) or NOTHING,
    profiles="|".join(config["profiles"]) or NOTHING,


# Results without Snakemake's records of their parameters may come from any version of the code. In that case this file
# is created anew; as an input that is newer than the results it makes them run again.
RECORDED = Path(".snakemake/recorded")
if not RECORDED.exists():
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.touch()
