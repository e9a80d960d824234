"""Claims about what the ASGI middleware remembers and offers, under FastAPI and Starlette."""

import asyncio
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import BackgroundTasks, FastAPI, Request

import blackboard
from agents.adapters import reaching
from agents.adapters.asgi import App, MemoryMiddleware, RequestMemory, said
from agents.adapters.events import AgentSaid
from agents.adapters.service import MemoryService
from blackboard.client import Board
from blackboard.errors import BadValue
from blackboard.section import OPENING
from bus.errors import BadName
from tests.agents.adapters.asgi.apps import SHIP, Heard, post, under_fastapi, under_starlette

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
