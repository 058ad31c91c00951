"""Pictures drawn from tidy frames."""
