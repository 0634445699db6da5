"""NL2Bash (LREC 2018): pairs of a sentence and a command → the dataset."""
