"""The command line in this process, made once: Typer's runner makes it anew at every call."""

from copy import copy
from functools import cache
from unittest.mock import patch

from typer.main import get_command
from typer.testing import CliRunner

from hippocampus.cli import app


@cache
def _made():
    return get_command(app)


def _fresh(_app):
    """Return the group of all commands, without any that an earlier call found elsewhere."""
    group = copy(_made())
    group.commands = dict(group.commands)
    return group


def invoke(*args, **options):
    """Run a command as ``CliRunner.invoke`` does."""
    with patch("typer.testing._get_command", _fresh):
        return CliRunner().invoke(app, args, **options)
