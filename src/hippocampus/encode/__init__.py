"""From text to what the cues need: token ids, terms, vectors, codes, times. Keeps nothing."""
