"""The event loop, its records, and the identities every run must satisfy."""
