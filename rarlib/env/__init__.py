"""The simulator as an environment that an agent steps through, with arrays as observations and a Gymnasium wrapper."""
