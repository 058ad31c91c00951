"""The second ledger: models scored against what was measured on real machines."""
