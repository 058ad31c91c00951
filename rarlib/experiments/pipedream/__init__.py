"""PipeDream (SOSP 2019): plans, schedules, and the comparisons of its evaluation."""
