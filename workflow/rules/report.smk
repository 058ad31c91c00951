# The report: one file that opens without network, and the executed notebooks as pages beside it.
rule report:
    input:
        pages=[rules.claims.output[0], rules.manifest.output[0]],
        figures=collect(f"{RESULTS}/figures/{{figure}}.svg", figure=FIGURES),
        claims=CLAIM_FILES,
        measured=[of_project("config/measured/goals.yaml"), of_project("config/measured/expectations.yaml"), *ACCEPTED],
        slurm=SLURM,
        text=[
            of_project("workflow/report/report.html.j2"),
            of_project("workflow/report/summary.html.j2"),
            of_project("workflow/report/ledger.html.j2"),
            of_project("workflow/report/measured.html.j2"),
            of_project("workflow/report/slurm.html.j2"),
            of_project("workflow/report/macros.html.j2"),
            of_project("workflow/report/report.css"),
            of_project("workflow/report/dark.css"),
            of_project("workflow/report/report.js"),
            of_project("workflow/report/report.yaml"),
            of_project("workflow/report/figures.yaml"),
            of_project("notebooks/learn/README.md"),
            of_project("CITATION.cff"),
        ],
        recorded=RECORDED,
    output:
        f"{RESULTS}/report.html",
    log:
        f"{RESULTS}/logs/report.log",
    benchmark:
        f"{RESULTS}/benchmarks/report.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=code_of("artifact.report.page"),
        figures=list(FIGURES),
        tutorials=TUTORIALS,
        commit=lambda wildcards: RUN.commit(),
        instances={name: section["seeds"] for name, section in RUN.experiments.items() if section.get("seeds")},
    script:
        "../scripts/report.py"


rule pages:
    input:
        notebooks=collect(f"{RESULTS}/notebooks/{{figure}}.ipynb", figure=FIGURES),
        tutorials=collect(f"{RESULTS}/notebooks/learn/{{tutorial}}.ipynb", tutorial=TUTORIALS),
        text=[
            of_project("workflow/report/notebook.html.j2"),
            of_project("workflow/report/report.css"),
            of_project("workflow/report/dark.css"),
            of_project("workflow/report/figures.yaml"),
            of_project("notebooks/learn/README.md"),
        ],
        recorded=RECORDED,
    output:
        collect(f"{RESULTS}/notebooks/{{figure}}.html", figure=FIGURES),
        collect(f"{RESULTS}/notebooks/learn/{{tutorial}}.html", tutorial=TUTORIALS),
    log:
        f"{RESULTS}/logs/pages.log",
    benchmark:
        f"{RESULTS}/benchmarks/pages.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=code_of("artifact.report.notebook_pages"),
    script:
        "../scripts/pages.py"
