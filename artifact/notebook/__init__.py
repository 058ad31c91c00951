"""What figure notebooks share: their parameters, tables, pictures and controls."""
