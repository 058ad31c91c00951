"""What the Snakemake rules stand on: configuration, import closure, notebooks, logs, digests, costs."""
