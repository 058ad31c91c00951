"""Pipeline-parallel training: layer graphs, PipeDream's planner, and the schedules a plan runs."""
