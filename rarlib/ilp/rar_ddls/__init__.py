"""RAR-DDLS, the program of SJF-BCO: exact solutions, brute force, the smallest feasible limit."""
