"""A server of HTTP on loopback that plays another one."""
import contextlib
import http.server
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    """What served() serves; its own handlers find their state in self.server."""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(handler, **state):
    """Serves meanwhile; the server has the state as attributes, `requests` (a list), and `server_port`."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    vars(server).update({"requests": [], **state})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
