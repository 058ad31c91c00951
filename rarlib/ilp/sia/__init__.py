"""Sia's decision of one round: which configuration every job gets."""
