# Table -> figure, drawn by a notebook. The executed copy is kept; it holds times and is never compared.
rule figure:
    input:
        notebook="notebooks/figures/{figure}.ipynb",
        tables=lambda wildcards: [f"{RESULTS}/tables/{t}.csv" for t in FIGURES[wildcards.figure]["tables"]],
        provenance=lambda wildcards: [f"{RESULTS}/tables/{t}.json" for t in FIGURES[wildcards.figure]["tables"]],
        published="data/published.csv",
        code=lambda wildcards: code_of_figure(wildcards.figure),
    output:
        svg=report(
            f"{RESULTS}/figures/{{figure}}.svg",
            caption="../report/figure.rst",
            category=lambda wildcards: FIGURES[wildcards.figure]["category"],
            labels=lambda wildcards: {
                "figure": FIGURES[wildcards.figure]["title"],
                "data": data_label(FIGURES[wildcards.figure]["tables"]),
            },
        ),
        png=f"{RESULTS}/figures/{{figure}}.png",
        notebook=f"{RESULTS}/notebooks/{{figure}}.ipynb",
    log:
        f"{RESULTS}/logs/figure/{{figure}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure/{{figure}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    params:
        caption=lambda wildcards: FIGURES[wildcards.figure]["caption"],
    script:
        "../scripts/figure.py"
