"""The figures of a built folder: tables and a page."""
