# Table -> figure, drawn by a notebook that is given the configuration's values of its parameters. The executed copy is kept but never compared, because it contains times.
rule figure:
    input:
        notebook="notebooks/figures/{figure}.ipynb",
        tables=lambda wildcards: [f"{RESULTS}/tables/{t}.csv" for t in FIGURES[wildcards.figure]["tables"]],
        provenance=lambda wildcards: [f"{RESULTS}/tables/{t}.json" for t in FIGURES[wildcards.figure]["tables"]],
        made=lambda wildcards: [f"{RESULTS}/provenance/{t}.json" for t in FIGURES[wildcards.figure]["tables"]],
        published=of_project("data/published.csv"),
        claims=CLAIM_FILES,
        recorded=RECORDED,
    output:
        svg=f"{RESULTS}/figures/{{figure}}.svg",
        png=f"{RESULTS}/figures/{{figure}}.png",
        marks=f"{RESULTS}/figures/{{figure}}.json",
        notebook=f"{RESULTS}/notebooks/{{figure}}.ipynb",
    log:
        f"{RESULTS}/logs/figure/{{figure}}.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=lambda wildcards: RUN.code_of_figure(wildcards.figure),
        parameters=lambda wildcards: RUN.parameters_of_figure(wildcards.figure),
    script:
        "../scripts/figure.py"


# A tutorial notebook, run without sliders and on stand-ins, so that its page is the same wherever it is made.
rule tutorial:
    input:
        notebook="notebooks/learn/{tutorial}.ipynb",
        recorded=RECORDED,
    output:
        f"{RESULTS}/notebooks/learn/{{tutorial}}.ipynb",
    log:
        f"{RESULTS}/logs/tutorial/{{tutorial}}.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=lambda wildcards: RUN.code_of_tutorial(wildcards.tutorial),
        sources=SOURCES,
    script:
        "../scripts/tutorial.py"
