"""Metrics: pure functions of predictions and references, each score with its signature."""
