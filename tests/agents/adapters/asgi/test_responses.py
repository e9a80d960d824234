"""Claims about what a server hears under the ASGI middleware: what its app said, and the facts in a header."""

import json
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.responses import JSONResponse

from agents.adapters.asgi import MAX_HEADER, MemoryMiddleware, Receive, Scope, Send, header_value
from blackboard.client import Board
from bus.messages import Fact, Facts
from tests.agents.adapters.asgi.apps import SHIP, WHOLE, Messages, Server, part, post


async def test_a_response_is_passed_on_message_by_message(board: Board) -> None:
    """Streams, trailers and extensions: the same objects, but for the one header at the start."""
    messages: Messages = [
        {"type": "http.response.start", "status": 200, "headers": [(b"a", b"1")], "trailers": True},
        {"type": "http.response.body", "body": b"data: 1\n\n", "more_body": True},
        {"type": "http.response.body", "body": b""},
        {"type": "http.response.trailers", "headers": [(b"b", b"2")]},
    ]
    unchanged = json.dumps(messages, default=repr)

    async def app(_: Scope, __: Receive, send: Send) -> None:
        for message in messages:
            await send(message)

    server = Server(part(WHOLE))
    await MemoryMiddleware(app, board, "desk", header="X-Memory")(server.scope, server.receive, server.send)
    start, *rest = server.sent
    assert all(sent is message for sent, message in zip(rest, messages[1:], strict=True))
    ((name, value),) = start.pop("headers")[1:]
    assert name == b"x-memory"
    assert json.loads(value)[0]["value"] == "12 Century Avenue, Shanghai"
    assert start == {"type": "http.response.start", "status": 200, "trailers": True}
    assert json.dumps(messages, default=repr) == unchanged

    plain = Server(part(WHOLE))
    await MemoryMiddleware(app, board, "desk")(plain.scope, plain.receive, plain.send)
    assert all(sent is message for sent, message in zip(plain.sent, messages, strict=True))


async def test_a_header_of_the_apps_own_stands_and_one_that_says_nothing_is_none(board: Board) -> None:
    """Two of one name would be no JSON."""
    app = FastAPI()
    app.add_middleware(MemoryMiddleware, memory=board, agent="desk", header="X-Memory")

    @app.post("/")
    async def chat(body: dict[str, str]) -> JSONResponse:
        return JSONResponse(None, headers={"x-memory": "mine"} if body.get("message") == SHIP else None)

    assert "X-Memory" not in (await post(app, {"message": "hello"})).headers
    await board.observe(SHIP)
    assert "X-Memory" not in (await post(app, {"query": "hello"})).headers
    assert "X-Memory" in (await post(app, {"message": "hello"})).headers
    assert (await post(app, {"message": SHIP})).headers.get_list("X-Memory") == ["mine"]


def a_fact(value: Any, **more: Any) -> Fact:
    return Fact(type="note", value=value, confidence=0.87654, round=1, staleness=2, confirm=True, **{"item": "id", **more})


def test_a_header_is_printable_ascii_whatever_the_facts_say() -> None:
    """Chinese, controls and line breaks are escaped, so that no fact begins a header of its own; a client reads them back."""
    wild = "北京 🛫\r\nSet-Cookie: a=b\x00\x7f\u2028\ud800"
    value = header_value(Facts((a_fact(wild), a_fact(None, content="Never on Sundays.", item=None))))
    assert value.isascii()
    assert value.isprintable()
    figures = {"confidence": 0.88, "staleness": 2, "confirm": True}
    assert json.loads(value) == [{"type": "note", "value": wild, **figures}, {"type": "note", "content": "Never on Sundays.", **figures}]
    assert header_value(Facts()) == ""


@pytest.mark.parametrize("size", [1, 10, 100, 600])
def test_a_header_has_whole_facts_as_many_as_fit(size: int) -> None:
    """The first of them; one that does not fit leaves the room to others."""
    assert header_value(Facts((a_fact("北" * 1000),))) == ""
    facts = [a_fact(f"{number}{'北' * size}") for number in range(100)]
    small = a_fact("small")
    value = header_value(Facts((*facts, small)))
    assert len(value) <= MAX_HEADER
    shown = [fact["value"] for fact in json.loads(value)]
    fitting = len(shown) - (shown[-1] == "small")
    assert shown[:fitting] == [fact.value for fact in facts[:fitting]]
    assert len(value) + len(header_value(Facts((facts[0],)))) > MAX_HEADER
