"""The commands for the server: serve, and the keys that it asks for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hippocampus.cli.command import command
from hippocampus.cli.options import Json, ModelOption, Scope
from hippocampus.cli.render import answer, clean, print_json, stderr, stdout, table
from hippocampus.core.optional import require

if TYPE_CHECKING:
    from hippocampus.server import Limits
    from hippocampus.server.keys import Keys, NewKey

PANEL = "Serve"

keys = typer.Typer(
    no_args_is_help=True,
    help="Make, list, rotate and revoke the keys that the server asks for.",
)


def register(app: typer.Typer) -> None:
    """Add the commands to an app."""
    command(
        app,
        "serve",
        "hippocampus serve --store agent.db",
        "hippocampus serve --store agent.db --host 0.0.0.0 --port 8765 --rate 50",
        panel=PANEL,
    )(serve)


def _limit(help: str, **how: Any) -> Any:  # noqa: A002, ANN401 - as Typer has it
    return typer.Option(help=help, rich_help_panel="Limits", **how)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitOptions:
    """The load that the server takes at once."""

    resident_mb: Annotated[
        float | None,
        _limit(
            min=0, help="Memory for banks in use; beyond it, those used longest ago are let go of."
        ),
    ] = None
    rate: Annotated[
        float | None,
        _limit(help="Most requests a second of one key."),
    ] = None
    max_body_mb: Annotated[int, _limit(min=1, help="Largest request.")] = 32
    max_import_mb: Annotated[int, _limit(min=1, help="Largest import.")] = 1024
    threads: Annotated[int, _limit(min=1, help="Threads for requests that read.")] = 8
    drain: Annotated[
        float,
        _limit(min=1, metavar="SECONDS", help="How long to wait for requests when told to stop."),
    ] = 30.0

    def limits(self) -> Limits:
        """Return the limits of the server."""
        from hippocampus.server import Limits  # noqa: PLC0415 - only when used

        return Limits(
            requests_per_s=self.rate, body_bytes=self.max_body_mb << 20,
            import_bytes=self.max_import_mb << 20, readers=self.threads, drain_s=self.drain,
        )  # fmt: skip


def serve(
    *,
    host: Annotated[
        str, typer.Option(help="Where to listen; without keys, only this machine's own.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 finds a free one.")] = 8765,
    sleep: Annotated[
        bool, typer.Option("--sleep/--no-sleep", help="Let banks sleep when it is time.")
    ] = True,
    model: ModelOption = "none",
    load: LimitOptions,
    log_level: Annotated[
        str, typer.Option(help="debug, info, warning or error; info has a line for each request.")
    ] = "info",
    scope: Scope,
) -> None:  # fmt: skip
    """
    Serve a store over HTTP: every verb, for many clients at once.

    The store is made if missing. Ctrl-C or SIGTERM ends it once what was begun is done. Logs go to
    stderr, a line of JSON each, without what was said.
    """
    # Each request has a thread; further ones inside of a matrix product only get in their way. What
    # somebody has set stays. NumPy reads it when it is loaded, which is below.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for package in ("fastapi", "uvicorn", "prometheus_client"):
        require(package, extra="server", feature="the server")
    from hippocampus.engine.bank_cache import share_arenas  # noqa: PLC0415
    from hippocampus.errors import InputError  # noqa: PLC0415 - only when used
    from hippocampus.server import serve  # noqa: PLC0415
    from hippocampus.server.observability import LEVELS, log_to_stderr  # noqa: PLC0415
    from hippocampus.sleep.schedule import Schedule  # noqa: PLC0415

    if log_level.lower() not in LEVELS:
        msg = f"--log-level {log_level!r}: must be one of {', '.join(LEVELS)}"
        raise InputError(msg)
    limits = load.limits()
    log_to_stderr(log_level)
    share_arenas()
    with scope.open(create=True, embed=True, model=model, resident_mb=load.resident_mb) as memory:
        serve(
            memory, host=host, port=port, limits=limits, schedule=Schedule() if sleep else None,
            ready=lambda url: stderr().print(f"hippocampus answers at {url}"),
        )  # fmt: skip


# ---------------------------------------------------------------- keys


def create(
    name: Annotated[str, typer.Argument(help="The holder of the key.")],
    *,
    bank: Annotated[
        list[str],
        typer.Option(
            "--bank", "-b", metavar="NAME",
            help="A bank that it opens: a name, or 'acme/*' for all that begin so; repeat it.",
        ),
    ],
    role: Annotated[str, typer.Option(help="read, write or admin.")] = "write",
    scope: Scope,
    as_json: Json = False,
) -> None:  # fmt: skip
    """
    Make a key and show it, this once; the store keeps only a hash.

    From the first key on the server answers nobody without one.
    """
    with scope.open(create=True) as memory:
        made = _keys(memory).create(name, role, bank)  # type: ignore[arg-type]  # it looks
    _show_new(made, as_json=as_json)


def list_(*, scope: Scope, as_json: Json = False) -> None:
    """List the keys: for whom, what they may do, to which banks."""
    with scope.open() as memory:
        found = _keys(memory).listed()
    if as_json:
        print_json(found)
        return
    if not found:
        stdout().print("there are no keys")
        return
    stdout().print(
        table(
            (
                key.id,
                clean(key.name),
                key.role,
                clean(", ".join(key.banks)),
                f"{key.made_at:%Y-%m-%d}",
            )
            for key in found
        )
    )


def rotate(
    id: Annotated[str, typer.Argument(help="The key, as 'keys list' shows it.")],  # noqa: A002
    *,
    keep: Annotated[
        float, typer.Option(metavar="HOURS", help="How long the former secret is still taken.")
    ] = 0.0,
    scope: Scope,
    as_json: Json = False,
) -> None:
    """Give a key another secret and show it, this once."""
    with scope.open() as memory:
        made = _keys(memory).rotate(id, keep_s=timedelta(hours=keep).total_seconds())
    _show_new(made, as_json=as_json)


def revoke(
    id: Annotated[str, typer.Argument(help="The key, as 'keys list' shows it.")],  # noqa: A002
    *,
    scope: Scope,
    as_json: Json = False,
) -> None:
    """Take a key back; servers that are running know within a second."""
    with scope.open() as memory:
        gone = _keys(memory).revoke(id)
    answer(gone, f"revoked {gone.id}, {gone.name}", as_json=as_json)


def _keys(memory: object) -> Keys:
    from hippocampus.memory import Memory  # noqa: PLC0415 - only when used
    from hippocampus.server.keys import Keys  # noqa: PLC0415

    assert isinstance(memory, Memory), "a scope opens one"
    return Keys(memory)


def _show_new(made: NewKey, *, as_json: bool) -> None:
    if as_json:
        print_json(made)
        return
    stdout().print(made.token, soft_wrap=True, highlight=False)
    stderr().print(
        clean(f"key {made.key.id} may {made.key.role}: {', '.join(made.key.banks)}."
              " It is shown this once; send it as 'Authorization: Bearer …'.")
    )  # fmt: skip


for _name, _verb, _example in (
    ("create", create, "hippocampus keys create 'the support agent' --bank 'acme/*' --role write"),
    ("list", list_, "hippocampus keys list"),
    ("rotate", rotate, "hippocampus keys rotate 5f0c9a3be1d2 --keep 24"),
    ("revoke", revoke, "hippocampus keys revoke 5f0c9a3be1d2"),
):
    command(keys, _name, _example)(_verb)
