"""bus.objects: a board's snapshot in an object store, on a real server."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import nats
import pytest

from bus import objects
from bus.connection import Connection
from bus.errors import BusError, LogMismatch, StreamRefused
from bus.nats import NatsBus
from bus.server import Server

BOARD = "procurement"
CHUNKS = [b"a" * 1_000, b"b" * 10, b"a" * 1_000]


async def each(chunks: list[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def whole(bus: NatsBus) -> list[bytes]:
    snapshot = await bus.snapshot(BOARD)
    assert snapshot is not None
    return [chunk async for chunk in snapshot.chunks]


async def test_a_store_like_others(bus: NatsBus, server: Server) -> None:
    """What is put can be got by whoever speaks to object stores."""
    await bus.put_snapshot(BOARD, "about", each(CHUNKS))
    other = await nats.connect(server.url)
    store = await other.jetstream().object_store("pheroboard-procurement")
    found = await store.get(objects.OBJECT)
    assert found.data == b"".join(CHUNKS)
    assert found.info.description == "about"
    await other.close()


async def test_an_acknowledgement_that_is_lost(bus: NatsBus, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk that is sent again, since nothing was heard of it, is there once."""
    ask = Connection.jetstream

    async def twice(self: Connection, subject: str, data: bytes, headers: dict[str, str] | None = None, **rest: object) -> object:
        if ".C." in subject:
            await ask(self, subject, data, headers)
        return await ask(self, subject, data, headers, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Connection, "jetstream", twice)
    await bus.put_snapshot(BOARD, "", each(CHUNKS))
    assert await whole(bus) == CHUNKS


async def test_a_chunk_that_is_on_its_way(bus: NatsBus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the server says that another comes first and there is none, the chunk is sent again, not left out."""
    ask, refusals = Connection.jetstream, [10164, 10164]

    async def refused(self: Connection, subject: str, data: bytes, *rest: Any, **more: Any) -> dict[str, Any]:
        if data == CHUNKS[1] and refusals:
            raise StreamRefused(subject, {"err_code": refusals.pop(), "description": "wrong last sequence"})
        return await ask(self, subject, data, *rest, **more)

    monkeypatch.setattr(Connection, "jetstream", refused)
    await bus.put_snapshot(BOARD, "", each(CHUNKS))
    assert not refusals
    assert await whole(bus) == CHUNKS


async def test_replaced_while_it_is_read(bus: NatsBus) -> None:
    """A reader whose snapshot is replaced is told so; it never takes chunks of two for one."""
    await bus.put_snapshot(BOARD, "old", each(CHUNKS))
    snapshot = await bus.snapshot(BOARD)
    assert snapshot is not None
    assert await anext(snapshot.chunks) == CHUNKS[0]
    await bus.put_snapshot(BOARD, "new", each([b"new"]))
    with pytest.raises(LogMismatch, match="get it again"):
        await anext(snapshot.chunks)
    assert await whole(bus) == [b"new"]


async def test_only_the_last_is_kept(bus: NatsBus) -> None:
    """The chunks of a snapshot that was replaced are gone."""
    for n in range(3):
        await bus.put_snapshot(BOARD, "", each([b"%d" % n] * 5))
    info = await bus._connection.api("STREAM.INFO.OBJ_pheroboard-procurement", {})
    assert info["state"]["messages"] == 5 + 1


async def test_what_was_left_half_done(bus: NatsBus) -> None:
    """What a host has left that ended while it put one goes with the next."""

    async def ending() -> AsyncIterator[bytes]:
        yield b"half"
        raise RuntimeError("it ends")

    await bus.put_snapshot(BOARD, "", each(CHUNKS))
    with pytest.raises(RuntimeError, match="it ends"):
        await bus.put_snapshot(BOARD, "", ending())
    assert await whole(bus) == CHUNKS
    await bus.put_snapshot(BOARD, "", each(CHUNKS))
    info = await bus._connection.api("STREAM.INFO.OBJ_pheroboard-procurement", {})
    assert info["state"]["messages"] == len(CHUNKS) + 1


@pytest.mark.parametrize("before", [True, False])
async def test_two_that_put_one_at_once(bus: NatsBus, *, before: bool) -> None:
    """Of a host that was overtaken while it put a snapshot, suspended perhaps, nothing replaces the newer one, and nothing stays."""

    async def overtaken(chunks: list[bytes]) -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk
        await bus.put_snapshot(BOARD, "newer", each([b"newer"]))
        for chunk in chunks[1:]:
            yield chunk

    if before:
        await bus.put_snapshot(BOARD, "oldest", each(CHUNKS))
    for chunks in ([b"older"], [b"older", b"still"]):
        with pytest.raises(BusError):
            await bus.put_snapshot(BOARD, "older", overtaken(chunks))
        assert await whole(bus) == [b"newer"]
    info = await bus._connection.api("STREAM.INFO.OBJ_pheroboard-procurement", {})
    assert info["state"]["messages"] == 1 + 1


async def test_one_that_is_damaged(bus: NatsBus) -> None:
    """A snapshot that is not what was put there is refused, not taken."""
    await bus.put_snapshot(BOARD, "", each(CHUNKS))
    found = await bus._connection.last("OBJ_pheroboard-procurement", objects._name(BOARD))
    assert found is not None
    info = msgspec.json.decode(found.data)
    await bus._connection.jetstream(objects._name(BOARD), msgspec.json.encode(info | {"digest": "SHA-256=none"}), {"Nats-Rollup": "sub"})
    with pytest.raises(LogMismatch, match="not what was put there"):
        await whole(bus)
