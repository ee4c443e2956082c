"""What tests of language models share: a server of the protocol, and models on it."""

from chat_fixtures import model, open_model, pauses, server

__all__ = ["model", "open_model", "pauses", "server"]
