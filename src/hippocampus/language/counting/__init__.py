"""Counting questions, and where a text tells of what they count: "how often did I swim?"."""
