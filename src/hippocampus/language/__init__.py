"""Reading English by rules and dictionaries: noun phrases, names, facts, times, topic tags."""
