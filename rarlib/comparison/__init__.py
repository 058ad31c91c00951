"""Schedulers side by side on jobs of a user's choice, and the experiments and figures of installed packages."""
