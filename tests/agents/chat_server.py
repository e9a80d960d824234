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


def chunk(content: str | None = None, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """A chunk of a stream; ``tool_calls=[call(…)]`` is of its delta."""
    return {"choices": [{"index": 0, "finish_reason": finish, "delta": ({"content": content} if content is not None else {}) | delta}]}


def call(name: str | None = None, arguments: str = "", index: int | None = 0, id: str | None = None) -> dict[str, Any]:  # noqa: A002
    """A call of a tool, or what is added to it."""
    return {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*wanted: tuple[str, Any]) -> list[dict[str, Any]]:
    """A reply that calls tools, each with its arguments as data; the JSON comes in two pieces."""
    begun = [call(name, id=f"call-{name}-{n}", index=n) for n, (name, _) in enumerate(wanted)]
    texts = [arguments if isinstance(arguments, str) else json.dumps(arguments) for _, arguments in wanted]
    halves = [[call(arguments=half, index=n) for half in (text[:3], text[3:])] for n, text in enumerate(texts)]
    return [chunk(tool_calls=begun), *(chunk(tool_calls=[half]) for pair in halves for half in pair), chunk(finish="tool_calls")]


def tells(text: str) -> list[dict[str, Any]]:
    """A reply in words, piece by piece."""
    return [chunk(f"{word} ") for word in text.split()] + [chunk(finish="stop")]


def streams(*chunks: Any, usage: Any = USAGE, done: bool = True, length: int | None = None) -> Callable[[BaseHTTPRequestHandler], None]:
    """Chunks as server-sent events; bytes go as they are."""
    sent = [*chunks, {"choices": [], "usage": usage}] if usage else list(chunks)
    lines = [each if isinstance(each, bytes) else f"data: {json.dumps(each)}\n\n".encode() for each in sent]
    return says(b"".join([*lines, b"data: [DONE]\n\n" * done]), length=length, Content_Type="text/event-stream")


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
