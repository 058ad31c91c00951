"""A real Slurm: brought up on this machine, given the jobs of a trace, and compared with the simulator."""
