# A study of one's own: the rules of the project, for what study.yaml states. The Snakefile of the study includes this file.
import os
import sys
from pathlib import Path

from rarlib.model.errors import InputError
from rarlib.model.project import STUDY
from artifact.study.derived import write_derived
from artifact.study.document import PAIRS, RUNS, read_study_file
from artifact.study.plan import size_in_words
from artifact.run.study_pipeline import StudyPipeline
from artifact.run.jobs import LIMIT
from artifact.run.resume import resume_run

try:
    THE_STUDY = read_study_file(Path())
    config.update(write_derived(THE_STUDY, "results", Path("results/study")))
except InputError as error:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(2)
for section in config["experiments"].values():
    section.pop("reads")  # a cell reads one trace; which one follows from its part
os.environ[STUDY] = str(Path("results/study").resolve())
os.environ[LIMIT] = str(config["minutes"])
RUNS_TABLE, PAIRS_TABLE = f"{THE_STUDY.name}-{RUNS}", f"{THE_STUDY.name}-{PAIRS}"
RUN = StudyPipeline(config, THE_STUDY, lambda number: Path(checkpoints.look.get(look=number).output[0]))


include: "common.smk"
include: "data.smk"
include: "simulate.smk"
include: "tables.smk"
include: "figures.smk"
include: "claims.smk"
include: "report.smk"
include: "paper.smk"
include: "handlers.smk"


# After each batch of seeds: which statements are decided. Only what open ones rest on gets further seeds.
checkpoint look:
    input:
        cells=lambda wildcards: RUN.cells_before(int(wildcards.look)),
        recorded=RECORDED,
    output:
        f"{RESULTS}/looks/{{look}}.json",
    log:
        f"{RESULTS}/logs/look/{{look}}.log",
    wildcard_constraints:
        look="[0-9]+",
    threads: 1
    params:
        code=code_of("artifact.study.pairs"),
        looks=list(THE_STUDY.looks),
        statements=[tuple(each) for each in THE_STUDY.statements],
    script:
        "../scripts/look.py"


# Runs -> ratios of two schedulers on the same jobs.
ruleorder: pairs > table


rule pairs:
    input:
        runs=f"{RESULTS}/tables/{RUNS_TABLE}.csv",
        facts=f"{RESULTS}/tables/{RUNS_TABLE}.json",
        made=f"{RESULTS}/provenance/{RUNS_TABLE}.json",
        recorded=RECORDED,
    output:
        table=f"{RESULTS}/tables/{PAIRS_TABLE}.csv",
        facts=f"{RESULTS}/tables/{PAIRS_TABLE}.json",
        made=f"{RESULTS}/provenance/{PAIRS_TABLE}.json",
    log:
        f"{RESULTS}/logs/pairs.log",
    threads: 1
    params:
        code=code_of("artifact.study.pairs"),
        study=THE_STUDY.name,
        statements=[tuple(each) for each in THE_STUDY.statements],
    script:
        "../scripts/pairs.py"


# The paper of the study: its numbers are macros in results/paper.
rule study_paper:
    input:
        text=rules.paper_text.output,
        figures=collect(f"{RESULTS}/paper/figures/{{figure}}.pdf", figure=FIGURES),
        source=sorted(map(str, Path("paper").glob("*.tex"))),
        recorded=RECORDED,
    output:
        f"{RESULTS}/paper.pdf",
    log:
        f"{RESULTS}/logs/study_paper.log",
    threads: 1
    script:
        "../scripts/study_paper.py"


localrules:
    study,


rule study:
    input:
        f"{RESULTS}/report.html",
        rules.pages.output,
        f"{RESULTS}/manifest.json",
        rules.study_paper.output,


if workflow.is_main_process:
    print(size_in_words(THE_STUDY), file=sys.stderr)
    if not workflow.logger_manager.settings.dryrun and (said := resume_run()):
        print(said, file=sys.stderr)
