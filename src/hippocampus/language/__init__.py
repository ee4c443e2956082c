"""What a text says, read by rules and dictionaries: phrases, names, relations, times."""
