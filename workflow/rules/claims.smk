# Tables, published numbers and our own statements -> one verdict per claim; digests of all results that must be identical
# on every run.
rule claims:
    input:
        listed=(of_project("data/published.csv"), of_project("data/statements.csv")),
        claims=CLAIM_FILES,
        readings=READING_FILES,
        tables=collect(f"{RESULTS}/tables/{{table}}.{{ext}}", table=TABLES, ext=("csv", "json")),
        made=collect(f"{RESULTS}/provenance/{{table}}.json", table=TABLES),
        recorded=RECORDED,
    output:
        f"{RESULTS}/claims.csv",
    log:
        f"{RESULTS}/logs/claims.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=code_of("artifact.ledger.ledger", "artifact.run.settings"),
        data=lambda wildcards, input: str(Path(input.listed[0]).parent),
        claims=lambda wildcards, input: str(Path(input.claims[0]).parent),
        tables=lambda wildcards, input: str(Path(input.tables[0]).parent),
    script:
        "../scripts/claims.py"


rule manifest:
    input:
        claims=rules.claims.output[0],
        figures=collect(f"{RESULTS}/figures/{{figure}}.svg", figure=FIGURES),
        recorded=RECORDED,
    output:
        f"{RESULTS}/manifest.json",
    log:
        f"{RESULTS}/logs/manifest.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=code_of("artifact.run.manifest"),
        commit=lambda wildcards: RUN.commit(),
        results=lambda wildcards, output: str(Path(output[0]).parent),
    script:
        "../scripts/manifest.py"
