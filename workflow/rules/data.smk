# Raw trace -> clean table, with what was read, kept and dropped. Without the recorded file a labelled stand-in serves.
rule trace:
    input:
        code=code_of("rarlib.traces.load", "rarlib.traces.audit"),
        sources=["data/sources.tsv", *sorted(map(str, Path("data/standin").glob("*.json")))],
    output:
        jobs=f"{RESULTS}/data/{{trace}}.csv",
        provenance=f"{RESULTS}/data/{{trace}}.csv.json",
        audit=f"{RESULTS}/data/{{trace}}.audit.csv",
    log:
        text=f"{RESULTS}/logs/trace/{{trace}}.log",
        origin=f"{RESULTS}/logs/trace/{{trace}}.origin",
    benchmark:
        f"{RESULTS}/benchmarks/trace/{{trace}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    params:
        origin=lambda wildcards: origin_of(wildcards.trace),
        settings=lambda wildcards: config["traces"][wildcards.trace],
    script:
        "../scripts/trace.py"
