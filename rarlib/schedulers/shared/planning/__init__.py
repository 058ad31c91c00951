"""What planners share: the state of GPUs, the choice of a gang's GPUs, passes over a batch, the search for a limit."""
