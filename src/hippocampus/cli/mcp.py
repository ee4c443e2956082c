"""The command that serves a store to MCP clients, on stdio or over HTTP on this machine."""

from __future__ import annotations

import logging
import sys
from typing import Annotated, Literal

import typer

from hippocampus.cli.command import command
from hippocampus.cli.options import BankScope
from hippocampus.core.optional import require

PANEL = "Serve"


def register(app: typer.Typer) -> None:
    """Add the command to an app."""
    command(
        app,
        "mcp",
        "hippocampus mcp --store agent.db",
        "hippocampus mcp --bank work --http --port 8768",
        "claude mcp add memory -- hippocampus mcp --store ~/agent.db",
        panel=PANEL,
    )(mcp)


def mcp(
    *,
    all_banks: Annotated[
        bool, typer.Option("--all-banks", help="Let tools name any bank, and begin new ones.")
    ] = False,
    compat: Annotated[
        bool,
        typer.Option(
            "--compat", help="The nine tools of the reference memory server instead of the eight."
        ),
    ] = False,
    http: Annotated[
        bool, typer.Option("--http", help="Over HTTP on this machine instead of stdin and stdout.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Of HTTP; 0 for any that is free.")
    ] = 8768,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        typer.Option(help="The least level that is logged, on stderr."),
    ] = "warning",
    scope: BankScope,
) -> None:
    """
    Give an agent this memory: a server of the Model Context Protocol.

    Its client starts it and speaks to it on stdin and stdout. With --http it listens on this
    machine only, for every program that runs here.
    """
    require("mcp.server.mcpserver", extra="mcp", feature="the MCP server")
    from hippocampus.mcp import Door, create_server, serve_http, serve_stdio  # noqa: PLC0415

    logging.basicConfig(
        level=log_level.upper(), stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    door = Door(lambda: scope.open(create=True, embed=True))
    server = create_server(door, bank=scope.bank, all_banks=all_banks, compat=compat)
    door.knock()
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
    from hippocampus.cli.render import stderr  # noqa: PLC0415 - Rich, only when needed

    stderr().print(f"hippocampus mcp: serving on {where}", soft_wrap=True)
