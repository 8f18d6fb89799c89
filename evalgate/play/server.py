"""
The staged page on 127.0.0.1: three files out of memory, and nothing else.

A server and not a file or a data: address, since a page needs an origin of its own for what games use (storage,
modules, workers), and since the browser keeps everybody to it by the policy that comes with the page.
"""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from evalgate.errors import CannotJudgeError

HOST = "127.0.0.1"
_POLICY = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline' data:; form-action 'none'; base-uri 'none'"
)
"""Nothing is loaded from anywhere else, nor sent there."""


class Page(NamedTuple):
    """One file of the site."""

    kind: str
    """Its media type."""
    content: bytes


class PortTakenError(CannotJudgeError):
    """Somebody listens on the port that the game was to be served on."""


@contextlib.contextmanager
def served(site: Mapping[str, Page], port: int) -> Iterator[str]:
    """
    Serve `site`, a page per path, at 127.0.0.1:`port`, and give the address of its root.

    Raises `PortTakenError`.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10

        def do_GET(self) -> None:
            page = site.get(self.path)
            # A worker that answers in place of this server would answer without the policy.
            if page is None or self.headers.get("Service-Worker") is not None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", page.kind)
            self.send_header("Content-Length", str(len(page.content)))
            self.send_header("Content-Security-Policy", _POLICY)
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(page.content)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: what a page asks for is not for the terminal."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        # Requests of a browser that is gone are not waited for.
        block_on_close = False

        def handle_error(self, request: object, client_address: object) -> None:
            """Say nothing: the browser may break off at any time."""

    try:
        server = Server((HOST, port), Handler)
    except (OSError, OverflowError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise PortTakenError(
            [f"the game cannot be served on {HOST}:{port} ({reason}): name another port with --port"]
        ) from fault
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="evalgate game", daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
