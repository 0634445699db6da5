"""Notebooks → examples: filters, targets, splits and the built folder."""
