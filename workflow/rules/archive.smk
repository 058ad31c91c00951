# The deposit that others cite: results, source and tree of digests in one folder, and packed. Made by `snakemake archive` only.
rule archive:
    input:
        results=[f"{RESULTS}/report.html", f"{RESULTS}/manifest.json", rules.pages.output],
        paper=collect(f"{RESULTS}/paper/figures/{{figure}}.pdf", figure=FIGURES),
        recorded=RECORDED,
    output:
        f"build/{deposit_name(EDITION)}.zip",
    log:
        f"{RESULTS}/logs/archive.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=code_of("artifact.archive.build"),
        commit=lambda wildcards: RUN.commit(),
        edition=EDITION,
    script:
        "../scripts/archive.py"
