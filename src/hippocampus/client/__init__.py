"""
The same memory on a server: every verb of ``Memory`` and ``Bank`` is asked there, over HTTP.

Each verb is written once, and blocks. ``AsyncClient`` runs it on a thread.
"""

from hippocampus.client.clients import AsyncClient, AsyncRemoteBank, Client, RemoteBank

__all__ = ["AsyncClient", "AsyncRemoteBank", "Client", "RemoteBank"]
