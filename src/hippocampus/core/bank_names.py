"""Beginnings of the names of banks that belong to projects and teams, and to nobody else."""

from __future__ import annotations

from typing import Final

PROJECT: Final = "project:"
TEAM: Final = "team:"
