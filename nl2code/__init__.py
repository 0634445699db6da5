"""NL to code: notebooks, datasets, models and scores."""
