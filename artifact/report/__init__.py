"""The report: a results folder as one offline page, with the executed notebooks as pages beside it."""
