# Entry point: configuration, its check, rules, targets. `snakemake` alone makes everything (flags: profiles/default).
import os

from snakemake.utils import min_version

from artifact.run.config import check_or_exit
from artifact.run.jobs import LIMIT
from artifact.run.pipeline import Pipeline
from artifact.run.settings import configuration, typed

min_version("9.0")


configfile: "config/config.yaml"


# The image of tools/container/Containerfile, for every rule; looked at only with profiles/apptainer. No image is published: it is built
# and converted to this file as docs/container.md says.
container: "build/rarlib.sif"


config.update(typed(config, configuration()))
check_or_exit(config)
os.environ[LIMIT] = str(config["minutes"])
RUN = Pipeline(config)


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/paper.smk"
include: "workflow/rules/archive.smk"
include: "workflow/rules/handlers.smk"


localrules:
    all,
    figures,
    paper,
    tables,


rule all:
    default_target: True
    input:
        f"{RESULTS}/report.html",
        rules.pages.output,
        f"{RESULTS}/manifest.json",
        # Made again if they are missing: as inputs of the report alone, they would not be.
        collect(f"{RESULTS}/figures/{{figure}}.{{kind}}", figure=FIGURES, kind=["svg", "png"]),


rule figures:
    input:
        collect(f"{RESULTS}/figures/{{figure}}.svg", figure=FIGURES),


rule tables:
    input:
        collect(f"{RESULTS}/tables/{{table}}.csv", table=TABLES),


rule paper:
    input:
        rules.paper_text.output,
        collect(f"{RESULTS}/paper/figures/{{figure}}.pdf", figure=FIGURES),
