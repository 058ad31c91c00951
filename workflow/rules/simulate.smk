# One job per cell: one scheduler in one experiment, all seeds inside. A cell's inputs include the code it stands on.
rule philly_cell:
    input:
        jobs=TRACE_JOBS,
        code=lambda wildcards: code_of_cell("rarlib.experiments.philly", wildcards.scheduler),
    output:
        f"{RESULTS}/cells/philly/jct/{{scheduler}}.csv",
    log:
        f"{RESULTS}/logs/philly/{{scheduler}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/philly_cell/{{scheduler}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    params:
        settings={k: config["philly"][k] for k in ("cluster", "seed")},
    script:
        "../scripts/philly_cell.py"


rule sjf_bco_cell:
    input:
        # One reading of the calibration scales its iterations down from the trace.
        jobs=lambda wildcards: TRACE_JOBS if wildcards.figure == "calibration" else [],
        code=lambda wildcards: code_of_cell("rarlib.experiments.sjf_bco.cells", wildcards.scheduler),
    output:
        f"{RESULTS}/cells/sjf-bco/{{figure}}/{{scheduler}}.csv",
    log:
        f"{RESULTS}/logs/sjf-bco/{{figure}}-{{scheduler}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/sjf_bco_cell/{{figure}}-{{scheduler}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    params:
        settings={k: v for k, v in config["sjf_bco"].items() if k != "cells"},
    script:
        "../scripts/sjf_bco_cell.py"
