"""Fabrics: links that jobs share, routes over them, the exact mode with phases, and the fast law of iteration times."""
