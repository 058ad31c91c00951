"""Parts of Optimus: handing out tasks by marginal gain."""
