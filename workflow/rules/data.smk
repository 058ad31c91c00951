# Raw trace -> clean table, with counts of rows read, kept and dropped. Without the recorded file, a labelled stand-in
# is drawn.
rule trace:
    input:
        recorded=RECORDED,
    output:
        jobs=f"{RESULTS}/data/{{trace}}.csv",
        provenance=f"{RESULTS}/data/{{trace}}.csv.json",
        audit=f"{RESULTS}/data/{{trace}}.audit.csv",
    log:
        text=f"{RESULTS}/logs/trace/{{trace}}.log",
        origin=f"{RESULTS}/logs/trace/{{trace}}.origin",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=code_of("rarlib.traces.load", "rarlib.traces.audit"),
        sources=SOURCES,
        origin=lambda wildcards: origin_of(config, "trace", wildcards.trace),
        settings=lambda wildcards: config["traces"][wildcards.trace],
    script:
        "../scripts/trace.py"


# Measured profiles -> one file per set. Where a profile is not available, its module computes a labelled stand-in.
rule profile:
    input:
        recorded=RECORDED,
    output:
        profiles=f"{RESULTS}/data/{{profiles}}.json",
        provenance=f"{RESULTS}/data/{{profiles}}.json.json",
    log:
        text=f"{RESULTS}/logs/profile/{{profiles}}.log",
        origin=f"{RESULTS}/logs/profile/{{profiles}}.origin",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=lambda wildcards: code_of(config["profiles"][wildcards.profiles]["module"]),
        sources=lambda wildcards: lists_of(config["profiles"][wildcards.profiles]["sources"]),
        origin=lambda wildcards: origin_of(config, "profile", wildcards.profiles),
        settings=lambda wildcards: config["profiles"][wildcards.profiles],
    script:
        "../scripts/profile.py"
