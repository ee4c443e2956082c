"""The command that opens the dashboard: a server for this machine alone, and a browser at it."""

from __future__ import annotations

import webbrowser
from threading import Thread

from hippocampus.cli.command import verb
from hippocampus.cli.options import Scope
from hippocampus.cli.render import stderr, stdout
from hippocampus.core.optional import require


@verb("ui", opens=None)
def ui(*, port: int = 8767, open_: bool = True, model: str = "none", scope: Scope) -> None:
    """Look into a store with a browser: search, timeline, topics, facts, trends, sleep, keys."""
    for package in ("fastapi", "uvicorn", "prometheus_client"):
        require(package, extra="server", feature="the dashboard")
    from hippocampus.dashboard import AT  # noqa: PLC0415 - only when used
    from hippocampus.server import serve  # noqa: PLC0415

    def show(url: str) -> None:
        stdout().print(f"{url}{AT}/", soft_wrap=True, highlight=False)
        if open_:  # some browsers return only once they are closed
            Thread(target=_browse, args=(f"{url}{AT}/",), daemon=True).start()

    with scope.open(create=True, embed=True, model=model) as memory:
        serve(memory, port=port, ready=show)


def _browse(address: str) -> None:
    if not webbrowser.open(address):
        stderr().print("no browser was found here; open that address in one")
