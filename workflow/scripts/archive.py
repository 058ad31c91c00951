"""Write a deposit: its folder and its archive. Without an edition it is that of a study."""

from pathlib import Path

from artifact.archive.build import build_deposit
from artifact.archive.project import project_subject
from artifact.archive.source import read_source, read_study_source
from artifact.archive.study import study_subject
from artifact.archive.study_documents import missing_terms, study_citation
from artifact.run.jobs import logged
from artifact.study.document import read_study_file
from rarlib.model.project import ROOT

job = snakemake
with logged(job.log[0]) as say:
    results, folder = Path(job.input.results[0]).parent, Path(job.output[0]).parent
    if edition := job.params.get("edition"):
        subject, missing = project_subject(ROOT, read_source(ROOT), edition), []
    else:
        study = read_study_file(Path())
        subject = study_subject(study, read_study_source(study.folder), results)
        missing = missing_terms(study_citation(study, subject.source))
    say(build_deposit(subject, results, folder))
    for line in missing:
        say(f"before you publish it: {line}")
