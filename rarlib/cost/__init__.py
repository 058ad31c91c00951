"""What one training iteration costs on a placement in a cluster state."""
