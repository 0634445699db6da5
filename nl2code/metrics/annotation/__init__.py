"""People judge predictions of Bash: sheets, their key, and how far annotators agree."""
