# One job per cell: one member (mostly a scheduler) of one table, with all seeds. A digest of the code that the cell
# depends on is a parameter.
rule cell:
    input:
        data=lambda wildcards: RUN.data_of(wildcards.experiment, wildcards.part),
        reading=lambda wildcards: RUN.reading_of(wildcards.experiment),
        recorded=RECORDED,
    output:
        f"{RESULTS}/cells/{{experiment}}/{{part}}/{{member}}.csv",
    log:
        f"{RESULTS}/logs/cell/{{experiment}}-{{part}}-{{member}}.log",
    conda:
        ENVIRONMENT
    threads: 1
    params:
        code=lambda wildcards: RUN.code_of_cell(wildcards.experiment, wildcards.member),
        statistics=STATISTICS,
        module=lambda wildcards: RUN.module_of(wildcards.experiment),
        found=lambda wildcards: RUN.is_found(wildcards.experiment, wildcards.part, wildcards.member),
        settings=lambda wildcards: RUN.settings_of_cell(wildcards.experiment, wildcards.part, wildcards.member),
    script:
        "../scripts/cell.py"
