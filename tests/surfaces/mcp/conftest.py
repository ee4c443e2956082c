"""An agent that speaks MCP: the SDK's own client, called as a test would like to call it."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client

from hippocampus.mcp import create_server


class Agent:
    """``agent("recall", query="…")`` calls a tool; ``agent.ask`` any other method of a client."""

    def __init__(self, stack, target, **options):
        self._portal = stack.enter_context(start_blocking_portal())
        client = Client(target, **options)
        self.client = stack.enter_context(self._portal.wrap_async_context_manager(client))

    def ask(self, method, *args):
        return self._portal.call(getattr(self.client, method), *args)

    def call(self, tool, **arguments):
        return self.ask("call_tool", tool, arguments)

    def __call__(self, tool, **arguments):
        answer = self.call(tool, **arguments)
        assert not answer.is_error, answer.content[0].text
        return answer.structured_content

    def text(self, tool, **arguments):
        return self.call(tool, **arguments).content[0].text

    def refused(self, tool, **arguments):
        answer = self.call(tool, **arguments)
        assert answer.is_error, answer.content[0].text
        return answer.content[0].text

    def read(self, uri):
        return json.loads(self.ask("read_resource", uri).contents[0].text)


@pytest.fixture
def connect():
    """Connect agents, in memory or to a process or address, for the test."""
    with ExitStack() as stack:
        yield lambda target, **options: Agent(stack, target, **options)


@pytest.fixture(scope="module")
def lasting():
    """Connect agents for all tests of a module."""
    with ExitStack() as stack:
        yield lambda target, **options: Agent(stack, target, **options)


@pytest.fixture
def serve(memory, connect):
    """Serve the test's memory to an agent."""

    def serve_(bank="ada", **options):
        return connect(create_server(lambda: memory, bank=bank, **options))

    return serve_


@pytest.fixture
def agent(serve):
    """Return an agent that has one empty bank."""
    return serve()


@pytest.fixture
def golden(request):
    """Compare with a file in ``golden/``; ``--golden`` writes it."""

    def compare(name: str, shown: str) -> None:
        file = Path(__file__).parent / "golden" / name
        if request.config.getoption("--golden"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(shown, encoding="utf-8")
        assert file.read_text(encoding="utf-8") == shown

    return compare
