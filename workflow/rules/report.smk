# The report: Snakemake's own, one file that opens without network, the ledger on its first page.
rule report:
    input:
        pages=[*rules.claims.output, rules.manifest.output[0]],
        figures=collect(f"{RESULTS}/figures/{{figure}}.svg", figure=FIGURES),
        text=[
            "workflow/report/workflow.rst",
            "workflow/report/figure.rst",
            "workflow/report/report.css",
        ],
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
        snakefile=workflow.main_snakefile,
        config=config,
    script:
        "../scripts/report.py"
