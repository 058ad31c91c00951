"""Parts of Gavel: the priorities by which jobs run in a round."""
