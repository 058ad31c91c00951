"""What the Snakemake rules stand on: configuration, code digests, notebooks, progress, report."""
