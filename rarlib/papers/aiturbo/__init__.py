"""AITurbo: the workload study and the evaluation, a documented reconstruction."""
