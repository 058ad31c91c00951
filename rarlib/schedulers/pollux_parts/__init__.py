"""Parts of Pollux: the genetic search for allocations (NSGA-II), compiled."""
