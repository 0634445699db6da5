"""Exercises and their solutions → problems (paper, section 3.2)."""
