"""The deposit: what a stranger cites, unpacks, checks without this package, and runs again."""
