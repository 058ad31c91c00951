"""How far from optimal: bounds, best-known and exact schedules of SJF-BCO's evaluation."""
