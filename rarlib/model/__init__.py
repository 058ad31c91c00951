"""The nouns every other room speaks of: jobs, clusters, placements, views, decisions."""
