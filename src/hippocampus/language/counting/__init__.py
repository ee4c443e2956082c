"""What a question counts, and where a text tells of it: "how often did I swim?", "swam today"."""
