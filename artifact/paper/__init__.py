"""Results as parts of a LaTeX document: numbers, tables, captions, references."""
