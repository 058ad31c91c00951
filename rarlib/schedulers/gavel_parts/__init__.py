"""Schedulers that decide once per round: who runs by priority, and on which GPUs."""
