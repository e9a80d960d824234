"""A server on loopback that speaks the chat protocol, and its faults."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}


def reply(content: str | None = "Beijing", finish: str = "stop", usage: Any = USAGE, **message: Any) -> dict[str, Any]:
    return {
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content} | message}],
        "usage": usage,
    }


class Model:
    """A chat server: each request is answered by the next of ``acts``, the last of them for ever."""

    def __init__(self) -> None:
        self.acts: list[Callable[[BaseHTTPRequestHandler], None]] = []
        self.heard: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.hanging = threading.Event()
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.heard.append(({name.lower(): value for name, value in self.headers.items()}, body))
                act = model.acts.pop(0) if len(model.acts) > 1 else model.acts[0]
                act(self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def does(self, *acts: Callable[[BaseHTTPRequestHandler], None]) -> None:
        self.acts = list(acts)


def says(body: Any, status: int = 200, length: int | None = None, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()

    def act(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(text) if length is None else length))
        handler.end_headers()
        handler.wfile.write(text)

    return act


@contextmanager
def serving() -> Iterator[Model]:
    """A model on loopback, while the context is open."""
    model = Model()
    thread = threading.Thread(target=model.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield model
    model.hanging.set()
    model.server.shutdown()
    model.server.server_close()
    thread.join()
