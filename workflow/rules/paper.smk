# Parts of a LaTeX document, made by `snakemake paper` only: every figure as PDF, drawn by its notebook once more.
rule paper_figure:
    input:
        notebook="notebooks/figures/{figure}.ipynb",
        tables=lambda wildcards: [f"{RESULTS}/tables/{t}.csv" for t in FIGURES[wildcards.figure]["tables"]],
        provenance=lambda wildcards: [f"{RESULTS}/tables/{t}.json" for t in FIGURES[wildcards.figure]["tables"]],
        made=lambda wildcards: [f"{RESULTS}/provenance/{t}.json" for t in FIGURES[wildcards.figure]["tables"]],
        published=of_project("data/published.csv"),
        recorded=RECORDED,
    output:
        pdf=f"{RESULTS}/paper/figures/{{figure}}.pdf",
        notebook=temp(f"{RESULTS}/paper/{{figure}}.ipynb"),
    log:
        f"{RESULTS}/logs/paper_figure/{{figure}}.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=lambda wildcards: RUN.code_of_figure(wildcards.figure),
        parameters=lambda wildcards: RUN.parameters_of_figure(wildcards.figure),
    script:
        "../scripts/figure.py"


# Numbers, tables, captions, references.
rule paper_text:
    input:
        claims=rules.claims.output[0],
        tables=collect(f"{RESULTS}/{{folder}}.csv", folder=[f"tables/{t}" for t in TABLES]),
        provenance=collect(f"{RESULTS}/{{folder}}/{{table}}.json", folder=("tables", "provenance"), table=TABLES),
        text=[
            of_project("workflow/paper/macros.tex"),
            of_project("workflow/report/figures.yaml"),
            of_project("data/sources.tsv"),
            of_project("CITATION.cff"),
        ],
        recorded=RECORDED,
    output:
        [f"{RESULTS}/paper/{name}" for name in ("numbers.tex", "references.bib")],
        collect(f"{RESULTS}/paper/captions/{{figure}}.tex", figure=FIGURES),
        collect(f"{RESULTS}/paper/{{folder}}/{{table}}.tex", folder=("numbers", "tables"), table=RUN.shown),
    log:
        f"{RESULTS}/logs/paper_text.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=code_of("artifact.paper.folder"),
        figures=list(FIGURES),
    script:
        "../scripts/paper.py"
