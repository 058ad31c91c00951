"""What others measured on real machines, and the predictors that are scored against it."""
