"""A study of one's own: one file says what is compared, and a paper takes its numbers from the results."""
