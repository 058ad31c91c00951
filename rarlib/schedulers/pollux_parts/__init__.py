"""Genetic search for allocations: a population of jobs x nodes matrices under NSGA-II, compiled."""
