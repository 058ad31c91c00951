"""Parts of Concert: the pools of nodes that its program matches jobs to."""
