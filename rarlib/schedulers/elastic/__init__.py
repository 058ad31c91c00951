"""What schedulers of jobs with changing sizes share: configurations, and placing them on nodes."""
