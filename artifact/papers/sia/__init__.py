"""Sia (SOSP 2023): Sia, Pollux, Gavel, Themis and Shockwave on the same workloads and profiles."""
