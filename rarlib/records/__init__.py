"""What runs leave behind: run folders and tidy tables, written, read back, explained, exported."""
