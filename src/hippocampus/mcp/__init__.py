"""A Model Context Protocol server over a memory: nine tools, resources and a prompt."""

from __future__ import annotations

from hippocampus.mcp.server import Door, create_server, serve_http, serve_stdio

__all__ = ["Door", "create_server", "serve_http", "serve_stdio"]
