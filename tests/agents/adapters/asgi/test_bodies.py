"""Claims about what an app hears under the ASGI middleware: what its server said."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from agents.adapters import asgi
from agents.adapters.asgi import MemoryMiddleware, Scope
from blackboard.client import Board
from tests.agents.adapters.asgi.apps import WHOLE, Heard, Messages, Server, part

GONE = {"type": "http.disconnect"}


@pytest.mark.parametrize(
    ("messages", "options", "found"),
    [
        ([part(WHOLE), GONE], {}, True),
        ([part(WHOLE[:9], more=True), part(b"", more=True), part(WHOLE[9:], more=True), part(b""), GONE], {}, True),
        ([part(WHOLE[:9], more=True), GONE], {}, False),
        ([part(WHOLE, more=True), GONE], {}, False),
        ([part(WHOLE[:9], more=True), part(WHOLE[9:], more=True), part(b" " * 99), part(b""), GONE], {"max_body": 60}, False),
        ([part(WHOLE), GONE], {"max_body": len(WHOLE) - 1}, False),
        ([part(WHOLE), GONE], {"max_body": len(WHOLE)}, True),
        ([part(WHOLE[:-1]), GONE], {}, False),
        ([part(b"[" * 60_000), GONE], {}, False),
        ([part(b""), GONE], {}, False),
        ([{"type": "http.request"}, GONE], {}, False),
    ],
)
async def test_a_body_is_heard_as_it_came(
    messages: Messages, options: Any, found: bool, board: Board, caplog: pytest.LogCaptureFixture
) -> None:
    """Every message of the server's, the same one, in order: in pieces, too large, ended early, malformed, nested without end, none."""
    app = Heard(len(messages))
    await MemoryMiddleware(app, board, "desk", **options)(Server(*messages).scope, (server := Server(*messages)).receive, server.send)
    assert len(app.heard) == len(messages)
    assert all(heard is message for heard, message in zip(app.heard, messages, strict=True))
    assert not caplog.records
    assert bool(await app.memory.facts()) is found


@pytest.mark.parametrize(
    ("kind", "method", "length", "read"),
    [
        ("application/json", "POST", None, True),
        ("Application/JSON; charset=utf-8", "PUT", b"%d" % len(WHOLE), True),
        ("application/vnd.chat+json", "PATCH", None, True),
        ("application/json", "GET", None, False),
        ("application/jsonl", "POST", None, False),
        ("text/plain", "POST", None, False),
        ("multipart/form-data; boundary=json", "POST", None, False),
        ("", "POST", None, False),
        ("application/json", "POST", b"65537", False),
        ("application/json", "POST", b"9" * 5000, False),
        ("application/json", "POST", b"many", True),
    ],
)
async def test_only_what_may_be_a_message_is_read_ahead(kind: str, method: str, length: bytes | None, read: bool, board: Board) -> None:
    """Of another method, another type, or a larger body nothing is heard before the app asks for it."""
    server = Server(part(WHOLE), kind=kind, method=method)
    if length is not None:
        server.scope["headers"].append((b"content-length", length))
    app = Heard(0)
    await MemoryMiddleware(app, board, "desk")(server.scope, server.receive, server.send)
    assert (not server.to_come) is read
    assert bool(await app.memory.facts()) is read


async def test_a_body_is_read_no_further_than_it_may_be_a_message(board: Board) -> None:
    """What is behind it the app asks for itself."""
    server = Server(*(part(b" " * 40, more=True) for _ in range(3)))
    await MemoryMiddleware(Heard(0), board, "desk", max_body=60)(server.scope, server.receive, server.send)
    assert len(server.to_come) == 1


async def test_a_body_that_does_not_come_holds_nothing_up(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has come is passed on in time, and what is waited for already is waited for once; nobody waits behind the app's end."""
    monkeypatch.setattr(asgi, "AHEAD", 0)
    server = Server(part(WHOLE[:9], more=True))
    app = Heard(2)
    call = asyncio.create_task(MemoryMiddleware(app, board, "desk")(server.scope, server.receive, server.send))
    await app.runs.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (server.waited_for, server.cancelled) == (1, 1)
    assert not await app.memory.facts()

    idle = Server()
    await MemoryMiddleware(Heard(0), board, "desk")(idle.scope, idle.receive, idle.send)
    await asyncio.sleep(0)
    assert idle.waited_for == idle.cancelled


async def test_what_receiving_raises_is_the_apps_to_hear(board: Board) -> None:
    """Where the app would have heard it."""

    async def broken() -> MutableMapping[str, Any]:
        raise ConnectionResetError

    server = Server()
    with pytest.raises(ConnectionResetError):
        await MemoryMiddleware(Heard(1), board, "desk")(server.scope, broken, server.send)
    await MemoryMiddleware(Heard(0), board, "desk")(server.scope, broken, server.send)


async def test_what_is_no_request_is_passed_on_untouched(board: Board) -> None:
    """A websocket's app gets the very scope, receive and send."""
    server = Server()
    got: list[Any] = []

    async def app(*given: Any) -> None:
        got.extend(given)

    scope: Scope = {"type": "websocket"}
    receive, send = server.receive, server.send
    await MemoryMiddleware(app, board, "desk", header="X-Memory")(scope, receive, send)
    assert [receive, send] == got[1:]
    assert got[0] is scope
    assert scope == {"type": "websocket"}
