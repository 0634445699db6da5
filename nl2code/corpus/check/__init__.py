"""What must hold of a built folder, proved on its files."""
