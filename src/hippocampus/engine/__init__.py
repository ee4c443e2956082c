"""The engine: banks held in memory, and shared between threads."""
