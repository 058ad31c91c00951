"""Fabrics: links that jobs share, routes over them, the exact mode, the fast law, and communication policies."""
