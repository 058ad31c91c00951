"""Training with parameter servers on GPUs and CPUs, as AITurbo and Optimus model it."""
