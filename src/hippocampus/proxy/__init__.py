"""A proxy that gives any client of the OpenAI protocol a memory, without the client's knowing."""
