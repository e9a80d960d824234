"""Apps under the middleware, and what a server says to them."""

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

import httpx2
from fastapi import FastAPI, Request
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Route

from agents.adapters.asgi import App, MemoryMiddleware, Receive, RequestMemory, Scope, Send

Messages = list[MutableMapping[str, Any]]
SHIP = "Ship order A789 to 12 Century Avenue, Shanghai."
WHOLE = json.dumps({"message": SHIP}).encode()


def under_fastapi(**options: Any) -> App:
    app = FastAPI()
    app.add_middleware(MemoryMiddleware, **options)

    @app.post("/")
    async def chat(body: dict[str, Any], request: Request) -> dict[str, Any]:
        return await told(request.state.memory, body)

    return app


def under_starlette(**options: Any) -> App:
    async def chat(request: Any) -> JSONResponse:
        return JSONResponse(await told(request.state.memory, await request.json()))

    return Starlette(routes=[Route("/", chat, methods=["POST"])], middleware=[Middleware(MemoryMiddleware, **options)])


async def told(memory: RequestMemory, body: Any) -> dict[str, Any]:
    return {"body": body, "section": memory.section, "facts": {fact.type: fact.value for fact in await memory.facts()}}


async def post(app: App, body: Any, **headers: str) -> httpx2.Response:
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://app") as client:
        return await client.post("/", json=body, headers=headers)


class Server:
    """What a server says to an app and hears of it: the bare protocol, where a message more or less shows."""

    def __init__(self, *messages: MutableMapping[str, Any], kind: str = "application/json", method: str = "POST") -> None:
        self.to_come = list(messages)
        self.sent: Messages = []
        self.scope: Scope = {"type": "http", "method": method, "path": "/", "headers": [(b"content-type", kind.encode())]}
        self.waited_for = 0
        self.cancelled = 0

    async def receive(self) -> MutableMapping[str, Any]:
        if self.to_come:
            return self.to_come.pop(0)
        self.waited_for += 1
        try:
            return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    async def send(self, message: MutableMapping[str, Any]) -> None:
        self.sent.append(message)


def part(body: bytes, *, more: bool = False) -> MutableMapping[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


class Heard:
    """An app that hears so many messages and says nothing."""

    def __init__(self, messages: int) -> None:
        self.messages = messages
        self.heard: Messages = []
        self.memory: RequestMemory
        self.runs = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, _: Send) -> None:
        self.memory = scope["state"]["memory"]
        self.runs.set()
        self.heard = [await receive() for _ in range(self.messages)]
