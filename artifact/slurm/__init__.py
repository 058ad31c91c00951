"""A real Slurm: brought up on this machine and compared with the simulator."""
