"""A server that says what it is told to."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hippocampus import wire


class Scripted(ThreadingHTTPServer):
    """
    A server that answers as it is told, one request after another; the last answer stays.

    ``asked``: what it was asked, as (method, address, headers, body). ``lines``: connections taken,
    ``closed``: those closed again.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answers):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = list(answers)
        self.asked = []
        self.lines = self.closed = 0
        self.left = threading.Event()
        """Set once a connection is closed on this side."""
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def shutdown_request(self, request):
        """Close a connection."""
        super().shutdown_request(request)
        self.closed += 1
        self.left.set()

    def handle_error(self, request, client_address):
        """Say nothing of a client that has left."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.server.lines += 1

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        self.server.asked.append((self.command, self.path, self.headers, body))
        answers = self.server.answers
        (answers.pop(0) if len(answers) > 1 else answers[0])(self)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815 - what the standard library calls

    def log_message(self, *_):
        """Say nothing."""


def says(body, status=200, **headers):
    """Return an answer."""
    data = body if isinstance(body, bytes) else wire.dump(body)

    def answer(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def hangs_up(handler):
    """Answer nothing at all."""
    handler.close_connection = True


def stops_midway(handler):
    """Promise more than is sent."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"[1, 2")
    handler.close_connection = True
