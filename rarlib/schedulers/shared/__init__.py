"""What several schedulers share: queue disciplines, ranks, rounds, planning of whole batches."""
