"""Cost models: what a training iteration costs on a placement; each turns jobs and a cluster into one price table."""
