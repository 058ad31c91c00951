# The report: pages that open without network, and the executed notebooks as pages beside them.
REPORT_TEXTS = [
    *(f"{name}.html.j2" for name in "base report summary verdicts details ledger measured slurm macros".split()),
    *("report.css", "dark.css", "report.js", "open.js", "report.yaml", "figures.yaml"),
]


rule report:
    input:
        pages=[rules.claims.output[0], rules.manifest.output[0]],
        figures=collect(f"{RESULTS}/figures/{{figure}}.{{kind}}", figure=FIGURES, kind=["svg", "png"]),
        claims=CLAIM_FILES,
        measured=[of_project("config/measured/goals.yaml"), of_project("config/measured/expectations.yaml"), *ACCEPTED],
        slurm=SLURM,
        text=[
            *(of_project(f"workflow/report/{name}") for name in REPORT_TEXTS),
            of_project("notebooks/learn/README.md"),
            of_project("CITATION.cff"),
        ],
        recorded=RECORDED,
    output:
        front=f"{RESULTS}/report.html",
        details=directory(f"{RESULTS}/report"),
    log:
        f"{RESULTS}/logs/report.log",
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
            of_project("workflow/report/base.html.j2"),
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
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=code_of("artifact.report.notebook_pages"),
    script:
        "../scripts/pages.py"
