"""Parts of Sia: the configurations it considers."""
