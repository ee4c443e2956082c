"""The command that stands between a chat client and its model, and gives it a memory."""

from __future__ import annotations

import logging
import signal
import socket
from typing import Any

from hippocampus.cli.command import verb
from hippocampus.cli.options import DEFAULT_BANK, Scope, Trust
from hippocampus.cli.render import clean, complain, stderr
from hippocampus.core.listening import is_loopback, listen
from hippocampus.core.optional import require
from hippocampus.core.store_address import without_password
from hippocampus.core.system import STOP_SIGNALS
from hippocampus.errors import StoreError

_FEATURE = "hippocampus proxy"


@verb("proxy", opens=None)
def proxy(
    *,
    upstream: str,
    host: str = "127.0.0.1",
    port: int = 8766,
    bank: str | None = None,
    allow_origin: list[str] | None = None,
    trust: Trust = None,
    budget_tokens: int = 1500,
    deadline_s: float = 1.0,
    timeout_s: float = 600.0,
    scope: Scope,
) -> None:
    """Give any chat client a memory: pass its requests on, with memories in the prompt."""
    require("httpx", extra="proxy", feature=_FEATURE)
    uvicorn = require("uvicorn", extra="proxy", feature=_FEATURE)
    from hippocampus.proxy.app import create_app  # noqa: PLC0415 - the engine, only when used

    local = is_loopback(host)
    # On this machine there is one person; from elsewhere a request has to say whose bank it is.
    whose = bank or (DEFAULT_BANK if local else None)
    app = create_app(
        lambda: scope.open(create=True, embed=True), upstream, bank=whose, local=local,
        origins=allow_origin or (), trust=trust, budget_tokens=budget_tokens, deadline_s=deadline_s,
        timeout_s=timeout_s,
    )  # fmt: skip
    with listen(host, port) as listening:
        # Whom it accepts inherits this; asyncio does not see that such a socket speaks TCP.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            app.warm_up()
        except StoreError as exc:
            complain(f"{exc}; chats go on without memory until it can be opened")
        at = f"[{host}]" if ":" in host else host
        stderr().print(
            f"http://{at}:{listening.getsockname()[1]}/v1 passes on to {clean(upstream)}, with the"
            f" memory of {'whoever is named' if whose is None else f'bank {clean(whose)!r}'}"
            f" in {clean(without_password(scope.path))}",
            soft_wrap=True,
        )
        _log()
        _run(uvicorn, app, listening)


def _run(uvicorn: Any, app: Any, listening: socket.socket) -> None:  # noqa: ANN401 - of an extra
    """Answer requests until the process is told to stop."""
    config = uvicorn.Config(
        app, lifespan="on", ws="none", log_config=None, access_log=False, server_header=False,
        # As long as a server of ours waits for what is under way (``Limits.drain_s``).
        date_header=False, proxy_headers=False, timeout_graceful_shutdown=30,
    )  # fmt: skip
    for number in STOP_SIGNALS:  # uvicorn stops first, and then passes it on
        signal.signal(number, lambda *_: None)
    uvicorn.Server(config).run(sockets=[listening])


def _log() -> None:
    """Have a line of each request, and what went wrong, on stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log = logging.getLogger("hippocampus.proxy")
    log.setLevel(logging.INFO)
    log.addHandler(handler)
    # An answer that breaks off at upstream is to break off here, and has been told.
    logging.getLogger("uvicorn.error").addFilter(lambda said: "without completing" not in said.msg)
