"""Ring all-reduces on real sockets over a link of limited rate, beside the exact mode and the law."""
