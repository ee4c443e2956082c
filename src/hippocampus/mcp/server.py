"""Puts the tools, resources and prompt of a memory into an MCP server, and serves it."""

from __future__ import annotations

import inspect
import os
import signal
import socket
import threading
import tomllib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    TextContent,
    ToolAnnotations,
)
from pydantic import Field, ValidationError

from hippocampus._moved import warn_of_old_name
from hippocampus.core.argument_names import meant_by
from hippocampus.core.budget import Budget
from hippocampus.core.loading import loading
from hippocampus.core.parameter_groups import described, spread
from hippocampus.core.system import STOP_SIGNALS
from hippocampus.errors import DISTRIBUTION, HippocampusError
from hippocampus.mcp.recency import MIN_SEQ, answering_no_less, telling_how_far
from hippocampus.mcp.resources import HABIT, LONGEST_S, PROJECT_HABIT, add_prompt, add_resources
from hippocampus.mcp.schemas import ToolAnswer
from hippocampus.mcp.tools import Toolbox

if TYPE_CHECKING:
    from types import FrameType

    from starlette.types import ASGIApp, Receive, Scope, Send
    from uvicorn import Server

    from hippocampus.memory import Memory

LOOPBACK: Final = "127.0.0.1"
PATH: Final = "/mcp"
"""Path at which a client finds the server over HTTP."""
_BANK: Final = "bank"
"""The argument of every tool that only a server of several banks offers."""
_SHOWN = 80
"""Characters of a refused argument that are shown. Chosen by hand."""
_HALF = 400
"""Characters of an error's beginning, where the value is, and of its end, where the fix is. Chosen
by hand."""
_NAMED_OTHERWISE: Final = (
    ("recall and episodes give ids", "give an id that recall or timeline shows"),
    ("give Episode.id", "give an id that recall or timeline shows"),
    ("'hippocampus sources' lists them", "status lists the sources"),
    (" (Ingest.max_text_bytes)", ""),
    (
        (
            "name episodes by id, or a source; one of the two, or in place of both a session,"
            " speaker or condition (where) of theirs"
        ),
        "give ids, or a source; one of the two",
    ),
    ("restore: give ids", "forget: give ids"),
)  # fmt: skip
"""Names of other surfaces in errors, and what a model has instead."""
_GREETING_S = 0.3
"""Seconds that a client has to say hello in before the store is opened, which keeps the interpreter
busy: the answer to it would wait. Chosen by hand."""
_LEAVING_S = 5
"""Seconds that opening, and loading, has to end in when the server stops before that is done.
Chosen by hand, as the two that follow."""
_GRACE_S = 2
"""Seconds that requests have to end in when the server stops."""
_LAST_S = 2.0
"""Seconds after that in which what has begun may end; then the process does."""


class BackgroundOpener:
    """
    Opens a memory in the background, so that a client need not wait for it to say hello.

    Whoever needs the memory calls this, and waits if it is not open yet. What went wrong is raised
    to every caller, and tried again for the next: a lock is released, a model gets installed.
    """

    def __init__(self, open_: Callable[[], Memory]) -> None:
        self._open = open_
        self._opening = threading.Lock()
        self._memory: Memory | None = None
        self._left = threading.Event()
        self._opener: threading.Thread | None = None

    def __call__(self) -> Memory:
        """Return the memory, opened."""
        with self._opening:
            if self._memory is None:
                # Under the lock, so that others wait for this and do not open it as well.
                self._memory = self._open()
            return self._memory

    def start(self, bank: str | None = None) -> None:
        """Begin to open it, and to load what a bank's first recall takes; return at once."""

        def open_() -> None:
            with suppress(HippocampusError, OSError):  # whoever needs it first is told
                # Or the client would wait for this while it says hello.
                if self._left.wait(_GREETING_S):
                    return
                with loading():
                    memory = self()
                    # The client may have left while it was opened.
                    if bank is not None and not self._left.is_set():
                        from hippocampus.warm_up import warm_up  # noqa: PLC0415 - it is the engine

                        warm_up(memory, bank)

        self._opener = threading.Thread(target=open_, name="hippocampus-open", daemon=True)
        self._opener.start()

    def knock(self, bank: str | None = None) -> None:
        """Begin to open it; until 0.3, for ``start``."""
        warn_of_old_name("Door.knock", "BackgroundOpener.start")
        self.start(bank)

    def close(self) -> None:
        """Close the parts that were opened; nothing of them goes on."""
        self._left.set()
        if self._opener is not None:  # Python ends a thread in a kernel by ending the process
            self._opener.join(_LEAVING_S)
        with self._opening:
            if self._memory is not None:
                self._memory.close()


class McpServer(MCPServer[Any]):
    """An MCP server whose tools say what is wrong with a call, and how to put it right."""

    def __init__(
        self, tools: list[Tool], instructions: str | None, *, memory: Callable[[], Memory]
    ) -> None:
        """Take the tools, what a model is told of them, and what gives the memory."""
        super().__init__(
            name="hippocampus", title="Hippocampus", version=version(DISTRIBUTION),
            instructions=instructions, tools=tools, log_level="WARNING",
        )  # fmt: skip
        self._memory = memory
        self._known = {tool.name: tool.parameters["properties"] for tool in tools}
        self._taken = {tool.name: inspect.signature(tool.fn).parameters for tool in tools}

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; what is wrong with the call is an answer that the model can act on."""
        if name not in self._known:
            return _refusal(f"{name!r}: no such tool; there are {', '.join(self._known)}")
        known = self._known[name]
        for given in arguments:
            # The SDK would pass over it. Some are in no schema, such as a bank: the tool checks it.
            if given not in self._taken[name]:
                meant = meant_by(given, known)
                fix = f"give {meant}" if meant else f"it has {', '.join(known)}"
                return _refusal(f"{given!r}: no argument of {name}; {fix}")
        try:
            made = await super().call_tool(name, arguments, context)
            return made if isinstance(made, InputRequiredResult) else self._without_secrets(made)
        except ToolError as exc:
            told = _told(exc.__cause__)
            if told is None:
                raise
            return _refusal(told)

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[Any, Any] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt; one that there is not is a mistake of the caller, not ours."""
        known = [prompt.name for prompt in await self.list_prompts()]
        if name not in known:
            told = f"{name!r}: no such prompt; there is {', '.join(known) or 'none'}"
            raise MCPError(INVALID_PARAMS, told)
        return await super().get_prompt(name, arguments, context)

    def _without_secrets(self, made: CallToolResult) -> CallToolResult:
        """Return an answer as a model may read it; the memory has been opened for it."""
        engine = self._memory().engine
        if engine.config.secrets.show == "keep":
            return made
        finder = engine.secret_finder
        content = [
            one.model_copy(update={"text": finder.redact(one.text)})
            if isinstance(one, TextContent)
            else one
            for one in made.content
        ]
        data = finder.redact_all(made.structured_content)
        return made.model_copy(update={"content": content, "structured_content": data})


def _refusal(told: str) -> CallToolResult:
    """Return an error as an answer, the middle of a long one left out."""
    # A lone surrogate of the call's could not be sent back as UTF-8.
    told = told.encode(errors="backslashreplace").decode()
    if len(told) > 2 * _HALF:
        told = f"{told[:_HALF]} … {told[-_HALF:]}"
    return CallToolResult(content=[TextContent(type="text", text=told)], is_error=True)


def _told(cause: BaseException | None) -> str | None:
    """Return the fault of a call: value, rule and fix; None if it was not the call's."""
    if isinstance(cause, HippocampusError):
        told = "; ".join([str(cause), *getattr(cause, "__notes__", [])])
        for ours, models in _NAMED_OTHERWISE:
            told = told.replace(ours, models)
        return told
    if isinstance(cause, OSError):  # of a folder that cannot be made; the store tells its own
        return f"{cause.filename}: {cause.strerror}" if cause.filename else str(cause)
    if not isinstance(cause, ValidationError):
        return None
    lines = []
    for error in cause.errors(include_url=False, include_context=False):
        where = ".".join(str(part) for part in error["loc"])
        if error["type"] == "missing":
            lines.append(f"{where}: missing; it is required")
        else:
            shown = repr(error["input"])
            shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
            lines.append(f"{where}={shown}: {error['msg'].replace('Input should', 'must')}")
    return "\n".join(lines)


def create_server(
    memory: Callable[[], Memory],
    *,
    bank: str,
    all_banks: bool = False,
    compat: bool = False,
    own: str | None = None,
) -> MCPServer[Any]:
    """
    Return an MCP server over a memory.

    Args:
        memory: returns the memory; a ``BackgroundOpener``, or a function that has one already.
        bank: the bank that is meant where none is named.
        all_banks: let tools name any bank of the store, and begin new ones.
        compat: the nine tools of the reference memory server instead of ours.
        own: the user's bank, where ``bank`` is a project's: it is read along.

    """
    if compat:
        from hippocampus.mcp.compat import Graph, add_graph  # noqa: PLC0415 - few want it

        graph = Graph(memory, bank)
        server = McpServer(_tools(graph, "reference"), instructions=None, memory=memory)
        add_graph(server, graph)
        return server
    toolbox = Toolbox(memory, bank, all_banks=all_banks, own=own)
    tools = _tools(toolbox, "tools")
    if not all_banks:  # who names a bank all the same is told that there is one alone
        for tool in tools:
            del tool.parameters["properties"][_BANK]
    habit = HABIT if own is None else PROJECT_HABIT.format(bank=bank, own=own)
    server = McpServer(tools, instructions=habit, memory=memory)
    add_resources(server, toolbox)
    add_prompt(server, toolbox)
    return server


def _tools(verbs: object, offer: str) -> list[Tool]:
    """Return the verbs that an offer, a file of texts beside this one, names as tools."""
    told = tomllib.loads((files("hippocampus.mcp") / f"{offer}.toml").read_text("utf-8"))
    shared = told.pop("shared")
    tools = []
    for name, about in told.items():
        verb = getattr(verbs, name)
        hints = about.get("hints", ())
        flat = spread(verb)
        if isinstance(verbs, Toolbox):
            flat = (answering_no_less if "reads" in hints else telling_how_far)(verbs, flat)
        tool = Tool.from_function(
            _described(flat, shared | about.get("arguments", {})),
            name=name,
            title=about["title"],
            description=described(verb, about),
            annotations=ToolAnnotations(
                read_only_hint="reads" in hints,
                destructive_hint="destroys" in hints,
                idempotent_hint="repeatable" in hints,
                open_world_hint=False,
            ),
        )
        # Clients put schemas before their model in every conversation, so each word costs there.
        tool.parameters = _plain(tool.parameters) | {"additionalProperties": False}
        tool.parameters["properties"].pop(MIN_SEQ, None)
        tools.append(tool)
    return tools


async def _within_budget(call: Callable[[], ToolAnswer]) -> ToolAnswer:
    """
    Return the result of a call on a thread; it ends at its next step once it is cancelled.

    That is by ``notifications/cancelled``, or by a client over HTTP that hangs up.
    """
    budget = Budget(seconds=LONGEST_S)
    try:
        # The thread is not waited for: its budget ends it at the next step.
        return await anyio.to_thread.run_sync(budget.around(call), abandon_on_cancel=True)
    except anyio.get_cancelled_exc_class():
        budget.cancel()
        raise


def _described(
    flat: Callable[..., ToolAnswer], texts: Mapping[str, Any]
) -> Callable[..., Awaitable[CallToolResult]]:
    """Return a verb as the SDK takes a tool: each argument has a text, the answer two forms."""

    async def call(**arguments: Any) -> CallToolResult:  # noqa: ANN401 - whatever the verb takes
        data, text = await _within_budget(partial(flat, **arguments))
        content = [TextContent(type="text", text=text)]
        return CallToolResult(content=[*content], structured_content=dict(data))

    def with_text(parameter: inspect.Parameter) -> inspect.Parameter:
        told = texts.get(parameter.name, {})
        field = Field(**told) if isinstance(told, dict) else Field(description=told)
        return parameter.replace(annotation=Annotated[parameter.annotation, field])

    signature = inspect.signature(flat)
    parameters = [with_text(given) for given in signature.parameters.values()]
    answer = Annotated[CallToolResult, *get_args(signature.return_annotation)[1:]]
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=answer
    )
    call.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": answer}
    return call


def _plain(schema: Any) -> Any:  # noqa: ANN401 - JSON is any
    """Return a schema without titles that repeat a name, and nulls for what may be left out."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {
        key: _plain(part)
        for key, part in schema.items()
        if not (key == "title" and isinstance(part, str))
        and not (key == "default" and part is None)
        and not (key == "additionalProperties" and part is True)
    }
    some = [part for part in plain.get("anyOf", ()) if part != {"type": "null"}]
    if len(some) == 1:
        del plain["anyOf"]
        plain |= some[0]
    return plain


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve one client on stdin and stdout, until it hangs up or the process is interrupted."""
    # The thread that waits for a line would keep the process from ending in any other way.
    # Nothing is lost: what was acknowledged is on the disk.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        anyio.run(server.run_stdio_async)
    except* BrokenPipeError:  # it hung up before it had its answer
        pass


def _without_blanks(app: ASGIApp) -> ASGIApp:
    """
    Return an application that gets the values of headers without blanks around them.

    They are none of a value (RFC 9110, 5.5), but not every server takes them off; the SDK compares
    ``Mcp-Name`` with what a request names.
    """

    async def through(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            bare = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
            scope = {**scope, "headers": bare}
        await app(scope, receive, send)

    return through


def serve_http(server: MCPServer[Any], port: int, ready: Callable[[str], None]) -> None:
    """
    Serve clients on this machine over streamable HTTP, until the process is told to stop.

    Requests by other names than this machine's, or from pages of other origins, are refused.

    Args:
        server: what to serve.
        port: where on the loopback interface; 0 for any that is free.
        ready: called with the address once clients can connect.

    Raises:
        OSError: the port is taken.

    """
    import uvicorn  # noqa: PLC0415 - stdio needs none

    # Opened here, so that a port in use is an error before anything is said to be ready.
    with socket.create_server((LOOPBACK, port)) as listening:
        # Without sessions: a server that is restarted has none to lose.
        app = server.streamable_http_app(
            streamable_http_path=PATH, host=LOOPBACK, stateless_http=True, json_response=True
        )
        config = uvicorn.Config(
            _without_blanks(app), log_config=None, timeout_graceful_shutdown=_GRACE_S
        )
        for number in STOP_SIGNALS:  # uvicorn stops first, and then passes it on
            signal.signal(number, lambda *_: None)
        ready(f"http://{LOOPBACK}:{listening.getsockname()[1]}{PATH}")
        _ending_in_time(uvicorn.Server)(config).run(sockets=[listening])


def _ending_in_time(server: type[Server]) -> type[Server]:
    """Return a kind of server that ends the process in time, whatever a call still does."""

    class EndingServer(server):  # type: ignore[valid-type, misc] # of a package loaded when used
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            if not self.should_exit:  # a kill loses nothing that anybody was told was kept
                last = threading.Timer(_GRACE_S + _LAST_S, os._exit, (1,))
                last.daemon = True  # it must not keep alive what ended in time
                last.start()
            super().handle_exit(sig, frame)

    return EndingServer
