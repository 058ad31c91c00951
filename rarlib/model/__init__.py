"""What all other packages speak of: jobs, clusters, placements, price tables, views, decisions."""
