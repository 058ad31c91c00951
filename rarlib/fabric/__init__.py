"""Fabrics: links that jobs share, routes over them, the exact mode and the fast law."""
