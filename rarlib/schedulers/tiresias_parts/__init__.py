"""Parts of Tiresias: the Gittins index."""
