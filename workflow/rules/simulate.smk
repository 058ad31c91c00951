# One job per cell: one member (mostly a scheduler) of one table, all seeds inside. A cell's inputs include the code it stands on.
rule cell:
    input:
        data=lambda wildcards: data_of(wildcards.experiment, wildcards.part),
        code=lambda wildcards: code_of_cell(wildcards.experiment, wildcards.member),
        statistics=sorted(map(str, Path("data/standin").glob("*.json"))),
    output:
        f"{RESULTS}/cells/{{experiment}}/{{part}}/{{member}}.csv",
    log:
        f"{RESULTS}/logs/cell/{{experiment}}-{{part}}-{{member}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/cell/{{experiment}}-{{part}}-{{member}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    params:
        module=lambda wildcards: module_of(wildcards.experiment),
        settings=lambda wildcards: settings_of(wildcards.experiment),
    script:
        "../scripts/cell.py"
