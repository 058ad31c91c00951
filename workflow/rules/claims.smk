# Tables and published numbers -> one verdict per published id; digests of everything that must come out the same.
rule claims:
    input:
        published="data/published.csv",
        claims=collect("config/claims/{paper}.yaml", paper=PAPERS),
        tables=collect(f"{RESULTS}/tables/{{table}}.{{ext}}", table=TABLES, ext=("csv", "json")),
        code=code_of("rarlib.evidence.ledger", "rarlib.evidence.ledger_html"),
    output:
        ledger=f"{RESULTS}/claims.csv",
        page=f"{RESULTS}/claims.html",
    log:
        f"{RESULTS}/logs/claims.log",
    benchmark:
        f"{RESULTS}/benchmarks/claims.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    params:
        tables=lambda wildcards, input: str(Path(input.tables[0]).parent),
    script:
        "../scripts/claims.py"


rule manifest:
    input:
        claims=rules.claims.output,
        figures=collect(f"{RESULTS}/figures/{{figure}}.svg", figure=FIGURES),
        code=code_of("rarlib.workflow.manifest"),
    output:
        f"{RESULTS}/manifest.json",
    log:
        f"{RESULTS}/logs/manifest.log",
    benchmark:
        f"{RESULTS}/benchmarks/manifest.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    params:
        results=lambda wildcards, output: str(Path(output[0]).parent),
    script:
        "../scripts/manifest.py"
