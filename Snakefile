# The map: configuration, its check, rules, targets. `snakemake` alone makes everything (profiles/default supplies the flags).
from snakemake.utils import min_version

from rarlib.workflow.config import check_or_exit

min_version("9.0")


configfile: "config/config.yaml"


check_or_exit(config)


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"


localrules:
    all,
    figures,
    tables,


rule all:
    default_target: True
    input:
        f"{RESULTS}/report.html",
        f"{RESULTS}/manifest.json",


rule figures:
    input:
        collect(f"{RESULTS}/figures/{{figure}}.svg", figure=FIGURES),


rule tables:
    input:
        collect(f"{RESULTS}/tables/{{table}}.csv", table=TABLES),
