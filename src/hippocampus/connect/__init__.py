"""
Connects other programs to a memory by their own configurations, and takes that back.

A configuration belongs to somebody else: it is changed in place, its comments and its order stay,
it is whole at every moment, and what was there before is kept.
"""

from hippocampus.connect.clients import (
    CLIENTS,
    PROJECT_CALLS,
    Calls,
    ClientProgram,
    Places,
    client_named,
    detected,
)
from hippocampus.connect.connecting import (
    ConfigChange,
    Planned,
    Refusal,
    plan_connect,
    plan_disconnect,
)
from hippocampus.connect.invocation import Invocation, find_invocation
from hippocampus.connect.receipts import Receipts

__all__ = [
    "CLIENTS",
    "PROJECT_CALLS",
    "Calls",
    "ClientProgram",
    "ConfigChange",
    "Invocation",
    "Places",
    "Planned",
    "Receipts",
    "Refusal",
    "client_named",
    "detected",
    "find_invocation",
    "plan_connect",
    "plan_disconnect",
]
