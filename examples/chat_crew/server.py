"""A server on loopback that speaks OpenAI's chat protocol: streams, calls of tools, faults. What it says is a script."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

from blackboard.tokens import count_tokens


class Says(NamedTuple):
    """What a scripted model says: a text, or calls of tools, each with its arguments."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


Script = Callable[[list[dict[str, Any]]], Says]
"""The messages of a request → what is said to them. It knows nothing else."""


class Fault(NamedTuple):
    """What a request gets instead of an answer."""

    status: int
    message: str
    headers: Mapping[str, str] = MappingProxyType({})


BUSY = Fault(429, "too many requests: come back in a moment", {"Retry-After": "0.1"})
BROKEN = Fault(500, "something went wrong here")


@contextmanager
def serving(script: Script, faults: Mapping[int, Fault] = MappingProxyType({})) -> Iterator[str]:
    """The base URL of such a server, while the context is open. ``faults``: the number of a request, from 1 → what it gets."""
    heard = 0
    counting = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            nonlocal heard
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with counting:
                heard += 1
                number = heard
            if fault := faults.get(number):
                told = json.dumps({"error": {"message": fault.message}}).encode()
                self._send(fault.status, {"Content-Type": "application/json", **fault.headers}, told)
            else:
                self._send(200, {"Content-Type": "text/event-stream"}, _events(body["messages"], script(body["messages"])))

        def _send(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _events(messages: list[dict[str, Any]], said: Says) -> bytes:
    """A reply as the events of a stream: word by word, the arguments of tools in pieces, and at the end what it cost."""
    deltas: list[dict[str, Any]] = [{"content": word} for word in re.findall(r"\S+\s*", said.text)]
    for n, (name, arguments) in enumerate(said.calls):
        text = json.dumps(arguments)
        begun = {"index": n, "id": f"call-{len(messages)}-{n}", "type": "function", "function": {"name": name, "arguments": text[:5]}}
        deltas += [{"tool_calls": [begun]}, {"tool_calls": [{"index": n, "function": {"arguments": text[5:]}}]}]
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if said.calls else "stop"}]})
    prompt, answer = count_tokens(json.dumps(messages)), count_tokens(json.dumps(deltas))
    chunks.append({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}})
    return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"
