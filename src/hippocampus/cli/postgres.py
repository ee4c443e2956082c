"""The commands for stores in PostgreSQL: the roles that may use one."""

from __future__ import annotations

from hippocampus.cli.command import verb
from hippocampus.cli.options import Scope
from hippocampus.cli.render import Answer


@verb("postgres grant", opens=None)
def grant(role: str, *, tenant: str | None = None, scope: Scope) -> Answer:
    """Let a role of the database use the store, behind a wall between tenants."""
    from hippocampus import postgres  # noqa: PLC0415 - the engine, only when used

    banks = postgres.grant(scope.path, role, tenant=tenant, key=scope.key)
    seen = "those of one tenant at a time" if tenant is None else f"those of {tenant!r} alone"
    return Answer(
        {"role": role, "tenant": tenant, "banks": banks},
        f"{role} may read and write; of {banks:,} banks it sees {seen}",
    )
