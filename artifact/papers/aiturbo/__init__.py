"""AITurbo (HPDC 2021): the workload study and the evaluation, a documented reconstruction."""
