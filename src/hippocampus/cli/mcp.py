"""The command that serves a store to MCP clients, on stdio or over HTTP on this machine."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from typing import Literal

from hippocampus.cli.command import verb
from hippocampus.cli.options import BankScope
from hippocampus.cli.render import clean, stderr
from hippocampus.core.loading import loading
from hippocampus.core.optional import require
from hippocampus.errors import InputError


@verb("mcp", opens=None)
def mcp(
    *,
    all_banks: bool = False,
    compat: bool = False,
    project: bool = False,
    http: bool = False,
    port: int = 8768,
    log_level: Literal["debug", "info", "warning", "error"] = "warning",
    scope: BankScope,
) -> None:
    """Give an agent this memory: a server of the Model Context Protocol."""
    # stdout is the protocol's alone.
    logging.basicConfig(
        level=log_level.upper(), stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    with loading():
        require("mcp.server.mcpserver", extra="mcp", feature="the MCP server")
        from hippocampus.mcp import BackgroundOpener, create_server, serve_http, serve_stdio  # noqa: PLC0415

        own = None
        if project:
            given, scope = scope, _in_project(scope)
            # In a store of a team's the user's bank is not.
            if given.bank != scope.bank and given.store == scope.store:
                own = given.bank
        opener = BackgroundOpener(lambda: scope.open(create=True, embed=True))
        server = create_server(opener, bank=scope.bank, all_banks=all_banks, compat=compat, own=own)
    # Opened on a thread meanwhile: the client's greeting is answered without it.
    opener.start(scope.bank)
    try:
        if http:
            serve_http(server, port, ready=_tell)
        else:
            if sys.stdin.isatty():
                _tell("stdin and stdout, for an MCP client to speak to; end with Ctrl-D")
            serve_stdio(server)
    finally:
        opener.close()


def _in_project(scope: BankScope) -> BankScope:
    """Return the bank of the project in whose folder the client has started this; or the given."""
    from hippocampus.cli.project import find_project  # noqa: PLC0415 - only when asked for

    found = find_project(".", note=True)
    if found is None:
        return scope
    if not found.remembered:
        msg = f"{found.folder}: its settings say remember = false; its memory is not served here"
        raise InputError(msg)
    if found.warning:
        _say(found.warning)
    if found.asks and not found.allowed:
        _say(f"{found.folder}: asks for more than its own bank; see 'hippocampus project'")
    if found.claims:
        _say(found.claim_told())
    if found.is_on_server:  # which has a server of MCP itself
        return replace(scope, bank=found.bank)
    if found.shared_store is None:
        return replace(scope, bank=found.shared_bank)
    # The user's keys are for the user's store.
    return replace(scope, bank=found.shared_bank, store=found.shared_store, key=None, vault=None)


def _say(what: str) -> None:
    stderr().print(f"hippocampus mcp: {clean(what)}", soft_wrap=True)


def _tell(where: str) -> None:
    stderr().print(f"hippocampus mcp: serving on {where}", soft_wrap=True)
