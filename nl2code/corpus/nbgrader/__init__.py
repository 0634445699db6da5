"""nbgrader courses → problems (paper, section 3.2)."""
