"""Published numbers and claims about them, formulas over our tables, and the ledger of verdicts."""
