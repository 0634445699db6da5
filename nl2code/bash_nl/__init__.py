"""The sentences of NL2Bash: their words, and the constants among them (section 4)."""
