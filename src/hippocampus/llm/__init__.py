"""Servers that speak the OpenAI protocol: asked when configured, believed when checked."""
