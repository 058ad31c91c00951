"""Which GPUs a job gets: placement rules that schedulers share."""
