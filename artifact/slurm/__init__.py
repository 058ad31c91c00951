"""A real Slurm: brought up on this machine, compared with the simulator, or driven by a scheduler of ours."""
