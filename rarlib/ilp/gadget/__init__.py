"""GADGET's programs: one slot's problem, its relaxations, its optimum."""
