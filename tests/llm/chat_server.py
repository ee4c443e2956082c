"""A server in a thread that speaks chat completions, as well or as badly as it is told."""

import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

KEY = "sk-verysecret-0123456789abcdef"


class Seen(NamedTuple):
    path: str
    key: str
    asked: dict


def completion(text, *, usage=(11, 7), **choice):
    """Return an answer of the protocol."""
    message = {"role": "assistant", "content": text}
    body = {
        "id": "1", "object": "chat.completion", "model": "small",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}],
    }  # fmt: skip
    if usage:
        body["usage"] = dict(zip(("prompt_tokens", "completion_tokens"), usage, strict=True))
    return body


class Server(ThreadingHTTPServer):
    """
    Answers with ``script``, in turn, then by ``answer``.

    An item of the script is a text to complete with, a body, a status with headers and a body, or a
    function of the handler that does as it likes.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen, self.script, self.lines = [], [], set()
        self.answer = lambda asked: f"You said: {asked['messages'][-1]['content']}"
        self.lock = threading.Lock()
        self.done = threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_):
        """Say nothing: clients here hang up on purpose."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.seen.append(Seen(self.path, self.headers["Authorization"], asked))
            self.server.lines.add(self.client_address)
            item = self.server.script.pop(0) if self.server.script else self.server.answer(asked)
        if callable(item):
            item(self)
        elif isinstance(item, tuple):
            self.say(*item)
        else:
            self.say(200, {}, completion(item) if isinstance(item, str) else item)

    def say(self, status, headers, body, kind="application/json"):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(raw), **headers}.items():
            if value is not None:
                self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(raw)

    def reset(self):
        """Break the line as a crashed machine does."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, *_):
        pass
