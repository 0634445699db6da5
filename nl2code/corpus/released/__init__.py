"""The authors' released files → the dataset's columns."""
