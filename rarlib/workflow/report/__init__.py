"""The page a reader opens: everything of a results folder on one offline page, and executed notebooks beside it."""
