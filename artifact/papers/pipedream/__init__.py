"""PipeDream (SOSP 2019): Table 1 and the comparison of schedules."""
