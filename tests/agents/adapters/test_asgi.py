"""Claims about the ASGI middleware, under FastAPI and Starlette."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, MutableMapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from fastapi import BackgroundTasks, FastAPI, Request
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

import blackboard
from agents.adapters import asgi, reaching
from agents.adapters.asgi import MAX_HEADER, App, MemoryMiddleware, Receive, RequestMemory, Scope, Send, header_value, said
from agents.adapters.events import AgentSaid
from agents.adapters.service import MemoryService
from agents.cli.hosting import hosting
from blackboard.client import Board
from blackboard.errors import BadValue
from blackboard.section import OPENING
from blackboard.testing import running_board
from bus.errors import BadName
from bus.messages import Fact, Facts

Messages = list[MutableMapping[str, Any]]
SHIP = "Ship order A789 to 12 Century Avenue, Shanghai."


@pytest.fixture
async def board() -> AsyncIterator[Board]:
    async with running_board("desk") as running:
        yield running["desk"]


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


# ---- what is offered --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("under", [under_fastapi, under_starlette])
async def test_a_message_is_observed_and_what_was_said_before_is_offered(under: Callable[..., App], board: Board) -> None:
    """Facts tell what is known by now, the section what was known before; and the app has the body that was sent."""
    app = under(memory=board, agent="desk")
    first = (await post(app, {"message": SHIP})).json()
    assert first == {
        "body": {"message": SHIP},
        "section": "",
        "facts": {"shipping_address": "12 Century Avenue, Shanghai", "order_reference": "A789"},
    }
    second = (await post(app, {"message": "不对，A789送到北京市海淀区中关村大街27号"})).json()
    assert "12 Century Avenue" in second["section"]
    assert "中关村" not in second["section"]
    assert second["facts"]["shipping_address"] == "北京市海淀区中关村大街27号"


def by(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"message": "hello"}, "hello"),
        ({"messages": [by("user", "one"), by("user", "two"), by("assistant", "three")]}, "two"),
        ({"messages": [by("user", [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}])]}, "a\nb"),
        ({"messages": [{"role": "user"}, by("user", None), "user", None]}, ""),
        ({"messages": []}, None),
        ({"messages": "hello"}, None),
        ({"message": 5}, None),
        ({"query": "hello"}, None),
        (["message"], None),
        ("message", None),
        (None, None),
    ],
)  # fmt: skip
def test_the_message_is_that_of_the_usual_bodies(body: Any, message: str | None) -> None:
    """Its field "message", or the user's last in "messages", in parts or not; anything else says nothing."""
    assert said(body) == message


async def test_a_message_and_its_conversation_may_be_elsewhere(board: Board) -> None:
    """Functions of the user's find them; each conversation has facts of its own."""
    app = under_starlette(
        memory=board,
        agent="desk",
        message=lambda body: body["ask"]["text"],
        conversation=lambda scope, body: f"{scope['path']}{body['chat']}",
    )
    assert (await post(app, {"ask": {"text": SHIP}, "chat": "c1"})).json()["facts"]
    assert not (await post(app, {"ask": {"text": "Where to?"}, "chat": "c2"})).json()["facts"]
    assert await board.recall("shipping_address", conversation="/c1")


async def test_an_answer_is_observed_if_the_app_says_so(board: Board) -> None:
    """In a task behind the response too, and without async."""
    app = FastAPI()
    app.add_middleware(MemoryMiddleware, memory=board, agent="desk")

    @app.post("/")
    async def chat(body: dict[str, str], request: Request, tasks: BackgroundTasks) -> str:
        tasks.add_task(request.state.memory.observe, AgentSaid(f"Carrier {body['message']} is closed on Sundays."))
        return "said"

    @app.post("/sync")
    def plain(_: dict[str, str], request: Request) -> list[str]:
        request.state.memory.observe_sync(AgentSaid("Carrier Beta takes two days."))
        return [fact.type for fact in request.state.memory.facts_sync()]

    await post(app, {"message": "hi"})
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://app") as client:
        assert (await client.post("/sync", json={"message": "Ship it by sea."})).json() == ["shipping_method"]
    assert {item.content for item in await board.view()} >= {"Carrier hi is closed on Sundays.", "Carrier Beta takes two days."}


# ---- whose it is ------------------------------------------------------------------------------------------------------------------------


async def by_user(memory: MemoryService, message: str, user: str) -> dict[str, Any]:
    app = under_fastapi(memory=memory, agent=lambda scope: dict(scope["headers"])[b"x-user"].decode() or None)
    response = await post(app, {"message": message}, **{"X-User": user})
    assert response.status_code == 200
    answer: dict[str, Any] = response.json()
    return answer


async def test_two_agents_share_a_board_and_keep_what_is_private(tmp_path: Path) -> None:
    """Who asks comes from the scope: what the first shared reaches the second's section, what it kept to itself never."""
    async with MemoryService(tmp_path / "shop") as memory:
        await memory.reach("sales", lambda board: board.constrain("budget", "<=", 50_000, unit="CNY", scope="shared"), None)
        await by_user(memory, "The secret budget of the director is 60,000 CNY.", "sales")
        desk = await by_user(memory, "What is the budget of the director?", "desk")
        assert "50000 CNY" in desk["section"]
        assert "60,000" not in json.dumps(desk)
        sales = await by_user(memory, "What is the budget of the director?", "sales")
        assert "60,000" in sales["section"]


async def test_what_happens_in_a_request_is_behind_its_message(board: Board) -> None:
    """Also what happens at once."""
    memory = RequestMemory(MemoryService(board), "desk", "", "The order sails with Zeta.", "")
    await memory.observe(AgentSaid("Zeta sails on Friday, with the order."))
    section = (await board.assemble("When does Zeta sail?", 500)).text
    assert 0 < section.index("sails with Zeta") < section.index("on Friday")


async def test_what_would_wait_for_itself_is_refused(board: Board) -> None:
    """The twins without async, in a handler with it."""
    memory = RequestMemory(MemoryService(board), "desk", "", "", "")
    with pytest.raises(BadValue, match=r"await facts\(\)"):
        memory.facts_sync()


@pytest.mark.parametrize("user", ["", "a@b.c"])
async def test_whom_the_board_cannot_know_has_no_memory(user: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """None is nobody; a name that is none is told once. The request is answered, and what the app observes goes nowhere."""
    async with MemoryService(tmp_path / "shop") as memory:
        for _ in range(3):
            assert (await by_user(memory, SHIP, user))["facts"] == {}
        request = RequestMemory(memory, None, "", "", "")
        await request.observe(AgentSaid("To nobody."))
    assert [record.levelname for record in caplog.records] == ["WARNING"] * bool(user) * 3  # three apps


@pytest.mark.parametrize("options", [{"message": lambda body: body["text"]}, {"message": len}, {"conversation": lambda *_: 7}])
async def test_a_function_that_fails_costs_the_memory_alone(options: Any, board: Board, caplog: pytest.LogCaptureFixture) -> None:
    """Since what a client sends may make it fail. It is told once, with what went wrong."""
    app = under_fastapi(memory=board, agent="desk", **options)
    for _ in range(2):
        assert (await post(app, {"message": SHIP})).json()["facts"] == {}
    (record,) = caplog.records
    assert record.exc_info


@pytest.mark.parametrize(
    ("options", "error", "cure"),
    [
        ({"max_tokens": 0}, BadValue, "max_tokens 0"),
        ({"max_body": 0}, BadValue, "max_body 0"),
        ({"header": "X Memory"}, BadValue, "X Memory"),
        ({"header": "X-Memory\r\nSet-Cookie"}, BadValue, "letters"),
        ({"header": ""}, BadValue, "letters"),
        ({"agent": "a.b"}, BadName, "a.b"),
        ({"agent": "other"}, BadValue, "desk's"),
    ],
)
async def test_what_cannot_be_is_told_where_it_is_made(options: Any, error: type[Exception], cure: str, board: Board) -> None:
    """Not at the first request."""
    with pytest.raises(error, match=cure):
        MemoryMiddleware(Heard(0), **{"memory": board, "agent": "desk", **options})


# ---- what the app hears -----------------------------------------------------------------------------------------------------------------

WHOLE = json.dumps({"message": SHIP}).encode()
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


# ---- what the server hears --------------------------------------------------------------------------------------------------------------


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


# ---- over time --------------------------------------------------------------------------------------------------------------------------


async def test_what_was_offered_is_never_observed(board: Board) -> None:
    """A hundred turns whose prompts carry the section, in a client's history that comes back whole, do not grow the board."""
    app = FastAPI()
    app.add_middleware(MemoryMiddleware, memory=board, agent="desk")

    @app.post("/")
    async def chat(_: dict[str, Any], request: Request) -> str:
        memory: RequestMemory = request.state.memory
        await memory.observe(AgentSaid(f"{memory.section}\nThe carrier is closed on Sundays."))
        return memory.section

    history: list[dict[str, str]] = []
    sections: list[str] = []
    sizes = []
    for turn in range(100):
        history.append({"role": "user", "content": "The carrier of A789 is Beta." if turn % 2 else SHIP})
        if sections:
            history[-1]["content"] += f"\n\n{sections[-1]}"
        sections.append((await post(app, {"messages": history})).json())
        sizes.append(len(await board.view(limit=100)))
    assert sections[-1].count(OPENING) == 1
    assert sizes[2:] == [sizes[2]] * 98
    assert not any(OPENING.strip() in item.content for item in await board.view(limit=100))


async def test_requests_at_once_share_one_client(board: Board) -> None:
    """Each with its own conversation."""
    app = under_fastapi(memory=board, agent="desk", conversation=lambda _, body: body["chat"])
    answers = await asyncio.gather(
        *(
            post(app, {"message": f"Ship order A{number} to {number} Century Avenue, Shanghai.", "chat": f"c{number}"})
            for number in range(50)
        )
    )
    assert [answer.json()["facts"]["order_reference"] for answer in answers] == [f"A{number}" for number in range(50)]


async def test_a_board_that_is_away_costs_no_request(caplog: pytest.LogCaptureFixture) -> None:
    """They are answered without memory, and it is told once; what they said is lost if the service ends before the board is back."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        async with MemoryService(f"nats://127.0.0.1:{nobody.getsockname()[1]}/desk", within=0.2) as memory:
            app = under_fastapi(memory=memory, agent="desk", header="X-Memory")
            for _ in range(3):
                response = await post(app, {"message": SHIP})
                assert response.json() == {"body": {"message": SHIP}, "section": "", "facts": {}}
                assert "X-Memory" not in response.headers
    away, lost = (record.message for record in caplog.records if record.name.startswith("agents"))
    assert away.startswith("the board of desk is down")
    assert "3 events that were observed are lost" in lost


async def test_memory_is_back_with_its_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was said while it was away – another held its file – is on it by then."""
    monkeypatch.setattr(reaching, "AGAIN", 0.01)
    async with MemoryService(tmp_path / "desk") as memory:
        app = under_fastapi(memory=memory, agent="desk")
        async with blackboard.open(tmp_path / "desk", agent="other"):
            assert (await post(app, {"message": "Our budget is 700 EUR."})).json()["facts"] == {}
        while await memory.reach("desk", Board.stats, None) is None:
            pass
        answer = (await post(app, {"message": "What is our budget?"})).json()
        assert answer["facts"] == {"budget": "700 EUR"}
        assert "700 EUR" in answer["section"]


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
