"""A small trained scheduler (MaskablePPO) beside FIFO and SRTF: `make learn`."""
