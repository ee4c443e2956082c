"""A server in a thread that speaks the OpenAI protocol, as well or as badly as it is told."""

import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import NamedTuple


class Seen(NamedTuple):
    method: str
    path: str
    headers: list[tuple[str, str]]
    raw: bytes

    @property
    def asked(self):
        return json.loads(self.raw)

    def header(self, name):
        return next((v for k, v in self.headers if k.lower() == name.lower()), None)


def completion(text, **message):
    """Return a whole answer of the protocol."""
    message = {"role": "assistant", "content": text, **message}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "small",
            "choices": [choice], "x_unknown": {"kept": 1.0}}  # fmt: skip


def chunks(*deltas, done=True):
    """Return the events of a streamed answer, as bytes."""
    told = [
        {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "small",
         "choices": [{"index": 0, "delta": {"content": d} if isinstance(d, str) else d,
                      "finish_reason": None}]}
        for d in deltas
    ]  # fmt: skip
    if done:
        last = {"index": 0, "delta": {}, "finish_reason": "stop"}
        told.append(told[0] | {"choices": [last]})
    events = [f"data: {json.dumps(one)}\n\n".encode() for one in told]
    return [*events, b"data: [DONE]\n\n"] if done else events


class Upstream(ThreadingHTTPServer):
    """
    Answers with what ``script`` has, in turn, then by ``answer``.

    An item is a body, a status with headers and a body, a list of pieces to stream, or a function
    of the handler that does as it likes.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen, self.script = [], []
        self.answer = lambda _: completion("Noted.")
        self.lock = threading.Lock()
        self.hung_up = Queue()
        """A word for each request whose client was found gone while it was answered."""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_):
        """Say nothing: clients here hang up on purpose."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            raw = b""
            while size := int(self.rfile.readline(), 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        seen = Seen(self.command, self.path, list(self.headers.items()), raw)
        with self.server.lock:
            self.server.seen.append(seen)
            item = self.server.script.pop(0) if self.server.script else self.server.answer(seen)
        if callable(item):
            item(self)
        elif isinstance(item, tuple):
            self.say(*item)
        elif isinstance(item, list):
            self.stream(item)
        else:
            self.say(200, {}, item)

    def say(self, status, headers, body):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        told = {"Content-Type": "application/json", "Content-Length": len(raw), **headers}
        for name, value in told.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def begin(self, kind="text/event-stream"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def piece(self, raw):
        self.wfile.write(b"%x\r\n%b\r\n" % (len(raw), raw))

    def stream(self, pieces):
        self.begin()
        for raw in pieces:
            self.piece(raw)
        self.wfile.write(b"0\r\n\r\n")

    def until_gone(self):
        """Wait until the client has hung up, and tell."""
        self.connection.recv(1)
        self.server.hung_up.put("gone")
        self.close_connection = True

    def reset(self):
        """Break the line as a crashed machine does."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, *_):
        pass


for verb in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
    setattr(Handler, f"do_{verb}", Handler.do)
