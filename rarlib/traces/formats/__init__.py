"""One file per raw format, each turning bytes into the job table."""
