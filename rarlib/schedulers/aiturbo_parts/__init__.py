"""Parts of AITurbo: the jobs it can run, and moves of one task."""
