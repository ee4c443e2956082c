"""A Model Context Protocol server over a memory: tools, resources and a prompt."""

from __future__ import annotations

from hippocampus.mcp.server import BackgroundOpener, create_server, serve_http, serve_stdio

__all__ = ["BackgroundOpener", "create_server", "serve_http", "serve_stdio"]
