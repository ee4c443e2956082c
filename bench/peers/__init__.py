"""Other stores and engines beside ours: same texts, same vectors, each in a process of its own."""
