"""Roles of a conversation, as chats call them; a role may be any other word as well."""

from __future__ import annotations

from typing import Final

MACHINE_ROLES: Final = ("assistant", "tool", "system")
"""Roles in which no person speaks: their words tell of nobody's life, and a speaker who is called
one of them has no name."""
ROLES: Final = ("user", *MACHINE_ROLES)
"""All roles of a chat: words that are no name. Who is told "you are a wizard" may play one."""
