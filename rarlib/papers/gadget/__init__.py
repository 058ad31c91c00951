"""The evaluation of GADGET (INFOCOM 2022): instances, baselines, the slot loop, runs, guarantees."""
