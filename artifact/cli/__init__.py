"""Commands of the artifact; `rarlib` lists them where this package lies beside it."""
