"""Programs that only maintainers run: `python -m tools.NAME` from the project folder."""
