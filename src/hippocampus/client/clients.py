"""Clients of a server: a ``Memory`` and its awaited twin, with every verb as a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from typing import Any, Final, Self

from hippocampus.aio import AsyncBank, AsyncMemory
from hippocampus.bank import Bank
from hippocampus.client.threads import Threads
from hippocampus.client.transport import CONNECTIONS, Line
from hippocampus.client.verbs import BankVerbs, StoreVerbs
from hippocampus.engine.context import check_name
from hippocampus.memory import Memory
from hippocampus.verbs import BANK_VERBS, STORE_VERBS, VerbSpec

TIMEOUT_S: Final = 30.0
ATTEMPTS: Final = 3


class RemoteBank(Bank):
    """A bank on a server, from ``Client.bank``: the verbs of ``Bank``."""

    def __init__(self, remote: BankVerbs) -> None:
        self.name = remote.name
        self._remote = remote

    def __repr__(self) -> str:
        return f"RemoteBank({self.name!r})"


class AsyncRemoteBank(AsyncBank):
    """A bank on a server, from ``AsyncClient.bank``: the verbs of ``AsyncBank``."""

    def __init__(self, remote: BankVerbs, threads: Threads) -> None:
        self._remote = remote
        self._threads = threads

    @property
    def name(self) -> str:
        """The bank's name."""
        return self._remote.name

    def __repr__(self) -> str:
        return f"AsyncRemoteBank({self.name!r})"


class Client(Memory):
    """
    A memory on a server that ``hippocampus serve`` runs: what takes a ``Memory`` takes this.

    Verbs take, return and raise what those of ``Memory`` and ``Bank`` do. What only reads is asked
    again when the connection breaks; what changes something only if the server surely has not
    begun, so nothing is done twice. Safe to use from threads; connections are kept and used again.

    Args:
        url: where the server is, such as ``http://localhost:8765``.
        key: what ``hippocampus keys create`` gave; None for a server on this machine without keys.
        timeout_s: for how long an answer is waited for, all attempts together; not for verbs that
            may take minutes, such as ``sleep``, once they have begun.
        attempts: how often a request is made at most.

    Raises:
        InputError: an argument that makes no sense. No server is asked until a verb is.

    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        attempts: int = ATTEMPTS,
    ) -> None:
        line = Line(url, key=key, timeout_s=timeout_s, attempts=attempts)
        self._remote = StoreVerbs(line)

    def bank(self, name: str) -> RemoteBank:
        """Return the bank called ``name``; it comes to be with its first episode."""
        return RemoteBank(BankVerbs(self._remote.line, check_name(name)))

    def close(self) -> None:
        """Let go of the connections. May be called twice."""
        self._remote.line.close()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - there is none
        raise AttributeError(_inside(self, name))

    def __repr__(self) -> str:
        return f"Client({self._remote.line.url!r})"


class AsyncClient(AsyncMemory):
    """
    A memory on a server whose verbs are awaited; the arguments are those of ``Client``.

    It belongs to one event loop: close it there, or use ``async with``.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        attempts: int = ATTEMPTS,
    ) -> None:
        line = Line(url, key=key, timeout_s=timeout_s, attempts=attempts)
        self._remote = StoreVerbs(line)
        self._threads = Threads(2 * CONNECTIONS)  # so that some can wait for a connection in vain

    @property
    def sync(self) -> Memory:
        """There is none: it is on the server."""
        raise AttributeError(_inside(self, "sync"))

    def bank(self, name: str) -> AsyncRemoteBank:
        """Return the bank called ``name``."""
        return AsyncRemoteBank(BankVerbs(self._remote.line, check_name(name)), self._threads)

    async def close(self) -> None:
        """Let go of the connections. May be called twice."""
        self._remote.line.close()
        self._threads.close()

    async def __aenter__(self) -> Self:
        return self

    def __repr__(self) -> str:
        return f"AsyncClient({self._remote.line.url!r})"


def _inside(client: object, name: str) -> str:
    return (
        f"{type(client).__name__} has no {name!r}: a client has the verbs, the rest is the server's"
    )


def _ask(spec: VerbSpec, remote: BankVerbs | StoreVerbs, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
    """Ask a verb for which the specification is enough."""
    return remote.ask(spec, *args, **kwargs)


def _give_verbs(
    owners: tuple[type[Memory | Bank], type[Any]],
    remote: type[BankVerbs | StoreVerbs],
    verbs: Mapping[str, VerbSpec],
    others: Iterable[str],
) -> None:
    """Give a class and its awaited twin the verbs that ``remote`` asks a server."""
    owner, awaited = owners
    for name in (*verbs, *others):
        member = getattr(owner, name)
        verb: Callable[..., Any] = getattr(member, "fget", member)
        ask = getattr(remote, name, None) or partial(_ask, verbs[name])

        def blocking(self: Any, /, *args: Any, _ask: Any = ask, **kwargs: Any) -> Any:  # noqa: ANN401
            return _ask(self._remote, *args, **kwargs)

        async def waiting(self: Any, /, *args: Any, _ask: Any = ask, **kwargs: Any) -> Any:  # noqa: ANN401
            self._remote.line.check_open()  # its threads have ended, too
            return await self._threads.run(partial(_ask, self._remote, *args, **kwargs))

        twins = wraps(verb)(blocking), wraps(verb)(waiting)
        if isinstance(member, property):
            twins = property(twins[0]), property(twins[1])  # type: ignore[assignment]
        setattr(owner, name, twins[0])
        setattr(awaited, name, twins[1])


_FILES: Final = ("export", "import_", "export_concepts", "import_concepts", "plot_topics")

_give_verbs((RemoteBank, AsyncRemoteBank), BankVerbs, BANK_VERBS, _FILES)
_give_verbs((Client, AsyncClient), StoreVerbs, STORE_VERBS, ("delete_bank", "backup"))
