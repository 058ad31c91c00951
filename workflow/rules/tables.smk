# Cells -> one tidy table per figure, with the provenance of its traces, and with the settings and the code of its cells.
rule table:
    input:
        cells=lambda wildcards: [f"{RESULTS}/cells/{cell}.csv" for cell in RUN.cells_of(wildcards.table)],
        provenance=lambda wildcards: RUN.provenance_of(wildcards.table),
        recorded=RECORDED,
    output:
        table=f"{RESULTS}/tables/{{table}}.csv",
        provenance=f"{RESULTS}/tables/{{table}}.json",
        made=f"{RESULTS}/provenance/{{table}}.json",
    log:
        f"{RESULTS}/logs/table/{{table}}.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=code_of("rarlib.records.tidy"),
        found=lambda wildcards: [cell for cell in RUN.cells_of(wildcards.table) if RUN.is_found(*cell.split("/", 2))],
        made=lambda wildcards: RUN.made_by(wildcards.table),
    script:
        "../scripts/table.py"
