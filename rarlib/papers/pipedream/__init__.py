"""PipeDream (SOSP 2019): Table 1 and the schedules compared in its section 5."""
