"""Features of a text for the cues: token ids, terms, vectors, codes, times. Keeps nothing."""
