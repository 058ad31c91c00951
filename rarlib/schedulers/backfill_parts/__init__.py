"""Parts of the backfill scheduler: what is free when, by GPUs or by whole servers."""
