"""Claims about an app that runs under the ASGI middleware: it runs, fails and ends as it would without."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI, Request
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

import blackboard
from agents.adapters.asgi import App, MemoryMiddleware, RequestMemory, Scope
from agents.adapters.service import MemoryService
from agents.cli.hosting import hosting
from blackboard.client import Board
from tests.agents.adapters.asgi.apps import SHIP, WHOLE, Heard, Server, part

# ---- what passes through ----------------------------------------------------------------------------------------------------------------


async def test_the_app_runs_in_its_servers_context(board: Board) -> None:
    """A variable that an outer middleware set is there within, and one set within is there outside, as in the state."""
    variable = ContextVar("variable", default="")
    seen = []

    async def app(scope: Scope, *_: Any) -> None:
        seen.append(variable.get())
        variable.set("inner")
        scope["state"]["user"] = "me"

    server = Server(part(WHOLE))
    server.scope["state"] = {"pool": 1}
    variable.set("outer")
    await MemoryMiddleware(app, board, "desk")(server.scope, server.receive, server.send)
    assert (seen, variable.get()) == (["outer"], "inner")
    assert server.scope["state"].keys() == {"pool", "memory", "user"}


async def test_what_the_app_raises_passes_through(board: Board) -> None:
    """The very error."""
    error = RuntimeError("the app's own")

    async def app(*_: Any) -> None:
        raise error

    server = Server(part(WHOLE))
    with pytest.raises(RuntimeError) as raised:
        await MemoryMiddleware(app, board, "desk")(server.scope, server.receive, server.send)
    assert raised.value is error


async def test_what_was_said_was_said(board: Board) -> None:
    """A request that is cancelled has its message observed all the same, and before it ends; so has one whose waiting for it is."""
    server, app = Server(part(WHOLE)), Heard(2)
    call = asyncio.create_task(MemoryMiddleware(app, board, "desk")(server.scope, server.receive, server.send))
    await app.runs.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await board.recall("shipping_address")

    memory = RequestMemory(MemoryService(board), "desk", "", "Ship it by sea.", "")
    waiting = asyncio.create_task(memory.facts())
    await asyncio.sleep(0)
    waiting.cancel()
    assert "shipping_method" in [fact.type for fact in await memory.facts()]


async def test_a_service_that_was_given_stays_its_makers(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its end is not the app's; and an app that knows no lifespan says so as ever."""
    memory = MemoryService(board)
    monkeypatch.setattr(memory, "aclose", None)
    server = Server({"type": "lifespan.startup"}, {"type": "lifespan.shutdown"})
    await MemoryMiddleware(Starlette(), memory, "desk")({"type": "lifespan"}, server.receive, server.send)
    assert [sent["type"] for sent in server.sent] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]

    async def refusing(*_: Any) -> None:
        raise NotImplementedError

    with pytest.raises(NotImplementedError):
        await MemoryMiddleware(refusing, memory, "desk")({"type": "lifespan"}, server.receive, server.send)


# ---- under a real server ----------------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def serving(app: App) -> AsyncIterator[str]:
    """The app's address, under uvicorn."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
        running = asyncio.create_task(server.serve([listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            await running


async def test_an_apps_lifespan_is_its_own_and_what_was_opened_ends_with_it(tmp_path: Path) -> None:
    """The board is open when the app starts, still open while it ends, and closed when it has."""
    events: list[str] = []

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[dict[str, str]]:
        events.append("start")
        assert (tmp_path / "desk.db").exists()
        yield {"pool": "the app's"}
        events.append("end")

    app = FastAPI(lifespan=lifespan)
    app.add_middleware(MemoryMiddleware, memory=tmp_path / "desk", agent="desk")

    @app.post("/")
    async def chat(request: Request) -> list[str]:
        return [request.state.pool, *(fact.type for fact in await request.state.memory.facts())]

    async with serving(app) as url, httpx2.AsyncClient() as client:
        assert (await client.post(url, json={"message": SHIP})).json() == ["the app's", "shipping_address", "order_reference"]
    assert events == ["start", "end"]
    async with blackboard.open(tmp_path / "desk", agent="desk") as again:  # which is refused while another holds its file
        assert await again.top()


async def test_under_a_real_server_streams_go_both_ways(tmp_path: Path) -> None:
    """On a board that is served: an upload of megabytes as it came, one of a JSON type piece by piece, and events one by one."""
    heard: asyncio.Queue[bytes | None] = asyncio.Queue()
    go_on = asyncio.Event()
    left = asyncio.Event()

    async def upload(request: Any) -> JSONResponse:
        sizes = [len(chunk) async for chunk in request.stream()]
        return JSONResponse([sum(sizes), len(await request.state.memory.facts())])

    async def events(request: Any) -> StreamingResponse:
        memory: RequestMemory = request.state.memory

        async def stream() -> AsyncIterator[str]:
            try:
                for fact in await memory.facts():
                    yield f"data: {fact.value}\n\n"
                    await go_on.wait()
                await asyncio.get_running_loop().create_future()
            finally:
                left.set()

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def pieces(request: Any) -> JSONResponse:
        async for chunk in request.stream():
            heard.put_nowait(chunk)
        return JSONResponse(None)

    async def slow() -> AsyncIterator[bytes]:
        yield b" " * 40_000
        yield b" " * 40_000
        got = 0
        while got < 80_000:
            got += len(await heard.get() or b"")
        yield b"null"

    app = Starlette(
        routes=[
            Route("/upload", upload, methods=["POST"]),
            Route("/events", events, methods=["POST"]),
            Route("/pieces", pieces, methods=["POST"]),
        ],
    )
    async with hosting(["desk"], tmp_path) as nats:
        middle = MemoryMiddleware(app, f"{nats}/desk", "desk", header="X-Memory")
        async with serving(middle) as url, httpx2.AsyncClient(base_url=url) as client:
            large = {"message": SHIP, "attachment": "x" * 5_000_000}
            assert (await client.post("upload", json=large)).json() == [len(json.dumps(large, separators=(",", ":"))), 0]
            await client.post("pieces", content=slow(), headers={"Content-Type": "application/json"})
            async with client.stream("POST", "events", json={"message": SHIP}) as response:
                assert json.loads(response.headers["X-Memory"])[0]["value"] == "12 Century Avenue, Shanghai"
                lines = response.aiter_lines()
                assert await anext(lines) == "data: 12 Century Avenue, Shanghai"
                go_on.set()
                assert await anext(lines) == ""
                assert await anext(lines) == "data: A789"
            await left.wait()
