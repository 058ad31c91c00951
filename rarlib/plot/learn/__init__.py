"""Pictures of the notebooks in notebooks/learn, from small tidy frames."""
