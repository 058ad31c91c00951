"""Feedback scheduling: what AITurbo, Tiresias and Optimus are made of (ranks, queues, indices, moves, grants)."""
