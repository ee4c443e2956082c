"""The dashboard: static files for a browser, which is a client of the public verbs like others."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

AT: Final = "/ui"
"""Path at which the server has it."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The pages may ask this server and run its files, and nothing else. Memories are text that
anybody may have said, so nothing of a page is ever made from markup."""

REFERENCE_AT: Final = "/docs"
"""Path at which the server has the reference of its REST API."""
_REFERENCE: Final = "docs.html"
_NOT_FOUND: Final = "not-found.html"

_HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    # A later version's files are asked for at once; those that are the same are not sent again.
    "Cache-Control": "no-cache",
}
_MEDIA: Final[Mapping[str, str]] = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


class _StaticFile(NamedTuple):
    body: bytes
    headers: Mapping[str, str]


def add_dashboard(app: Starlette) -> None:
    """Let an application serve the dashboard; it needs no key, as it knows nothing by itself."""
    from starlette.responses import RedirectResponse, Response  # noqa: PLC0415 - an extra's

    held = {
        name: _StaticFile(
            body, {**_HEADERS, "ETag": f'"{blake2b(body, digest_size=12).hexdigest()}"'}
        )
        for name, body in _read().items()
    }

    async def page(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        # It is the answer to what is not there, and no page to be asked for.
        file = None if name == _NOT_FOUND else held.get(name)
        if file is None:
            return not_found()
        if request.headers.get("if-none-match") == file.headers["ETag"]:
            return Response(None, 304, file.headers)
        return Response(file.body, 200, file.headers, _MEDIA[name.rpartition(".")[2]])

    async def enter(_: Request) -> Response:
        # Relative, so that it holds where a proxy serves all of this below another path.
        return RedirectResponse(f"{AT.strip('/')}/", 307, _HEADERS)

    async def read(_: Request) -> Response:
        return RedirectResponse(f"{AT.strip('/')}/{_REFERENCE}", 307, _HEADERS)

    for address in ("/", AT):
        app.router.add_route(address, enter, include_in_schema=False)
    app.router.add_route(REFERENCE_AT, read, include_in_schema=False)
    app.router.add_route(f"{AT}/{{name}}", page, include_in_schema=False)
    app.router.add_route(f"{AT}/", page, include_in_schema=False)


def asks_for_a_page(request: Request) -> bool:
    """Return whether somebody with a browser asks, and no program."""
    return "text/html" in request.headers.get("accept", "")


def not_found() -> Response:
    """Return the page that says that there is no such page."""
    from starlette.responses import Response  # noqa: PLC0415 - an extra's

    body = (files(__name__) / "static" / _NOT_FOUND).read_bytes()
    return Response(body, 404, _HEADERS, _MEDIA["html"])


def _read() -> dict[str, bytes]:
    """Return the files by name: there are few, so they are kept, and no path leads elsewhere."""
    folder = files(__name__) / "static"
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}
