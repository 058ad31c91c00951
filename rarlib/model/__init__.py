"""What all other packages share: jobs, clusters, placements, price tables, views, decisions."""
