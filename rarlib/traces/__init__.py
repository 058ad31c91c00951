"""Raw cluster traces, where they come from, and the one job table they all become."""
