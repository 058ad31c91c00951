"""Claims: published numbers, formulas over our tables, and the ledger of verdicts."""
