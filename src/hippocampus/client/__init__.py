"""
The same memory on a server: every verb of ``Memory`` and ``Bank`` is asked there, over HTTP.

Each verb is described once, as a coroutine. ``AsyncClient`` awaits it; ``Client`` runs it to its
end, for where everything blocks it never waits.
"""

from hippocampus.client.clients import AsyncClient, AsyncRemoteBank, Client, RemoteBank

__all__ = ["AsyncClient", "AsyncRemoteBank", "Client", "RemoteBank"]
