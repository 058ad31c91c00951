"""How good a schedule can be: exact programs for small instances, proven lower bounds for all."""
