"""The report: results as an offline front page, a page of details for each paper, and executed notebooks."""
