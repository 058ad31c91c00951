"""Commands of the artifact; `rarlib` lists them after its own where this package lies beside it."""

ARTIFACT_COMMANDS = ("replay", "claims", "measured", "cite", "doctor", "verify", "new")
"""In the order of the help."""
