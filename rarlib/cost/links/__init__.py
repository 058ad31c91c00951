"""Jobs of a run on links that they share: rates by the law, or phase by phase; a cost model brings them along."""
