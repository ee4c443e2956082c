"""Long-term memory for LLM agents, in one file."""
