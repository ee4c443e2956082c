"""
Tenants: whose a bank is, by its name, and for whom what runs now acts.

A tenant is what comes before the first slash of a bank's name: ``acme/ada`` and ``acme/tom`` are of
``acme/``, and so is a bank called ``acme``. A store may keep tenants apart as a second wall, behind
whoever lets requests in: then it gives nothing of a bank whose tenant nobody has said to act for.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Final, TypeVar

from hippocampus.core.context_variable import temporarily

_Result = TypeVar("_Result")

EVERY: Final = "*"
"""Tenant of callers who act for all: no name of one is like it, for each ends in a slash."""
SEPARATOR: Final = "/"
"""End of the name of a tenant in that of a bank."""

_acting: Final[ContextVar[str]] = ContextVar("tenant", default=EVERY)


def tenant_of(bank: str) -> str:
    """Return the tenant of a bank."""
    return bank.partition(SEPARATOR)[0] + SEPARATOR


def tenant_of_all(pattern: str) -> str:
    """Return the tenant of all banks that a key's pattern opens; ``EVERY`` if it does not say."""
    begins = pattern.removesuffix("*")
    return tenant_of(pattern) if begins == pattern or SEPARATOR in begins else EVERY


def acting() -> str:
    """Return for whom what runs now acts."""
    return _acting.get()


def act_for(tenant: str) -> None:
    """Act for a tenant from here on, to the end of the task."""
    _acting.set(tenant)


def acting_for(tenant: str) -> AbstractContextManager[None]:
    """Act for a tenant."""
    return temporarily(_acting, tenant)


def as_now(call: Callable[[], _Result]) -> Callable[[], _Result]:
    """Return a call that acts for whom its maker does, on whatever thread."""
    tenant = acting()

    def within() -> _Result:
        with acting_for(tenant):
            return call()

    return within
