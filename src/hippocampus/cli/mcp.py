"""The command that serves a store to MCP clients, on stdio or over HTTP on this machine."""

from __future__ import annotations

import logging
import sys
from typing import Literal

from hippocampus.cli.command import verb
from hippocampus.cli.options import BankScope
from hippocampus.cli.render import stderr
from hippocampus.core.optional import require


@verb("mcp", opens=None)
def mcp(
    *,
    all_banks: bool = False,
    compat: bool = False,
    http: bool = False,
    port: int = 8768,
    log_level: Literal["debug", "info", "warning", "error"] = "warning",
    scope: BankScope,
) -> None:
    """Give an agent this memory: a server of the Model Context Protocol."""
    require("mcp.server.mcpserver", extra="mcp", feature="the MCP server")
    from hippocampus.mcp import Door, create_server, serve_http, serve_stdio  # noqa: PLC0415

    logging.basicConfig(
        level=log_level.upper(), stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    door = Door(lambda: scope.open(create=True, embed=True))
    server = create_server(door, bank=scope.bank, all_banks=all_banks, compat=compat)
    door.knock(scope.bank)
    try:
        if http:
            serve_http(server, port, ready=_tell)
        else:
            if sys.stdin.isatty():
                _tell("stdin and stdout, for an MCP client to speak to; end with Ctrl-D")
            serve_stdio(server)
    finally:
        door.close()


def _tell(where: str) -> None:
    stderr().print(f"hippocampus mcp: serving on {where}", soft_wrap=True)
