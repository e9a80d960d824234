"""The claims of ``agents.chat``, against a server on loopback that speaks the protocol, and its faults."""

import json
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from http.server import BaseHTTPRequestHandler
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.chat import Budget, Chat
from agents.errors import BadReply, BudgetSpent, ChatError, NoReply
from agents.replies import Reply
from agents.tools import Tool
from blackboard.errors import BadValue, NotInstalled
from tests.agents.chat_server import Model, call, calls, chunk, reply, says, serving, streams, tells

KEY = "sk-secret-7"
ASKED = [{"role": "user", "content": "Which town?"}]


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as model:
        yield model


@pytest.fixture
async def chat(model: Model, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Chat]:
    monkeypatch.setattr("agents.chat.PAUSE", 0.0)
    async with Chat("m1", base_url=model.url, api_key=KEY, budget=Budget(10_000), within=20.0) as chat:
        yield chat


async def test_an_answer_costs_what_its_usage_says(model: Model, chat: Chat) -> None:
    """The request is OpenAI's, with model, messages and the cap; what is spent is the usage."""
    model.does(says(reply()))
    assert await chat.ask(ASKED, max_tokens=50) == "Beijing"
    ((headers, body),) = model.heard
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {"model": "m1", "messages": ASKED, "max_tokens": 50}
    assert (chat.budget.spent, chat.budget.aside, chat.budget.left) == (12, 0, 9_988)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        "much",
        {},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": -9, "completion_tokens": 3, "total_tokens": -6},
        {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 7},
        {"prompt_tokens": "9", "completion_tokens": 3, "total_tokens": 12},
    ],
)
async def test_a_usage_that_cannot_be_costs_what_was_set_aside(model: Model, chat: Chat, usage: Any) -> None:
    """A reply without a usage, or with nonsense in it, is never cheaper than it could have been."""
    model.does(says(reply(usage=usage)))
    await chat.ask(ASKED, max_tokens=50)
    assert chat.budget.spent > 50 + 9


async def test_a_server_that_takes_more_than_allowed_stops_what_follows(model: Model, chat: Chat) -> None:
    """What was spent is told as it was, and no other request begins."""
    model.does(says(reply(usage={"prompt_tokens": 9, "completion_tokens": 99_991, "total_tokens": 100_000})))
    await chat.ask(ASKED, max_tokens=50)
    assert (chat.budget.spent, chat.budget.left) == (100_000, 0)
    with pytest.raises(BudgetSpent):
        await chat.ask(ASKED, max_tokens=1)
    assert len(model.heard) == 1


async def test_the_budget_is_a_hard_stop(model: Model) -> None:
    """A request that could go over what is left is not sent, and the error names what is spent, the limit and the cure."""
    model.does(says(reply(usage=None)))
    async with Chat("m1", base_url=model.url, budget=Budget(200)) as chat:
        await chat.ask(ASKED, max_tokens=100)
        spent = chat.budget.spent
        with pytest.raises(BudgetSpent, match=rf"{spent} of 200 tokens are spent.*could cost \d+: give a larger budget"):
            await chat.ask(ASKED, max_tokens=100)
    assert len(model.heard) == 1
    assert chat.budget.spent == spent <= 200


async def test_requests_at_the_same_time_share_the_budget(model: Model) -> None:
    """What one has set aside another cannot have: of ten that are asked at once no more are sent than the budget bears."""
    model.does(says(reply(usage=None)))
    refused = 0

    async def one(chat: Chat) -> None:
        nonlocal refused
        try:
            await chat.ask(ASKED, max_tokens=100)
        except BudgetSpent:
            refused += 1

    async with Chat("m1", base_url=model.url, budget=Budget(450)) as chat, anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(one, chat)
    assert len(model.heard) == 3
    assert refused == 7
    assert chat.budget.spent <= 450


@given(st.lists(st.tuples(st.integers(0, 50), st.none() | st.integers(0, 50)), max_size=30))
def test_bills_within_what_was_set_aside_never_go_over(bills: list[tuple[int, int | None]]) -> None:
    """Whatever is asked for, and whatever smaller sums it then costs: at most the limit is spent."""
    budget = Budget(100)
    for asked, cost in bills:
        try:
            with budget.reserve(asked) as bill:
                assert budget.spent + budget.aside <= 100
                bill.tokens = asked if cost is None else min(cost, asked)
        except BudgetSpent:
            assert asked > budget.left
    assert budget.spent + budget.left == 100


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_what_fails_for_a_while_is_sent_again(model: Model, chat: Chat, status: int) -> None:
    """A server in trouble, or one that asks to wait, is asked again; a failure of the server's own costs what it could have."""
    model.does(says({"error": {"message": "busy"}}, status, Retry_After="0"), says(reply()))
    assert await chat.ask(ASKED, max_tokens=50) == "Beijing"
    assert len(model.heard) == 2
    assert (chat.budget.spent > 12) is (status >= 500)


async def test_a_wait_longer_than_the_time_is_not_waited_for(model: Model, chat: Chat) -> None:
    """A Retry-After beyond ``within`` is told at once, with what the server says."""
    model.does(says({"error": {"message": "busy"}}, 429, Retry_After="3600"))
    with pytest.raises(NoReply, match=r"m1: status 429 \(it asks to wait 3600 s\): .*busy"):
        await chat.ask(ASKED, max_tokens=50)
    assert (len(model.heard), chat.budget.spent) == (1, 0)


async def test_it_gives_up(model: Model, chat: Chat) -> None:
    """What fails three times is told with the status and the server's words."""
    model.does(says({"error": {"message": "out of memory"}}, 500))
    with pytest.raises(NoReply, match=r"asked 3 times: status 500: .*out of memory"):
        await chat.ask(ASKED, max_tokens=50)
    assert len(model.heard) == 3


async def test_what_is_wrong_with_the_request_is_not_sent_again(model: Model, chat: Chat) -> None:
    """A 400 is final and costs nothing."""
    model.does(says({"error": {"message": "no such model"}}, 404))
    with pytest.raises(NoReply, match=r"m1: status 404: .*no such model"):
        await chat.ask(ASKED, max_tokens=50)
    assert (len(model.heard), chat.budget.spent) == (1, 0)


async def test_a_hang_ends_in_time_and_costs(model: Model) -> None:
    """A server that never answers is left after ``within``; what it does meanwhile may be paid for, so it counts."""

    def hangs(_: BaseHTTPRequestHandler) -> None:
        model.hanging.wait()

    model.does(hangs)
    async with Chat("m1", base_url=model.url, budget=Budget(10_000), within=1.0) as chat:
        with pytest.raises(NoReply, match="did not answer within 1 s"):
            await chat.ask(ASKED, max_tokens=50)
        assert chat.budget.spent > 50
        assert chat.budget.aside == 0


@pytest.mark.parametrize(
    ("body", "says_so"),
    [
        (b"<html>It works!</html>", "outside of the protocol"),
        (b"\xff\xfe", "outside of the protocol"),
        (b'{"choices": [], "usage": ' + b"[" * 100_000, "outside of the protocol"),
        ({"object": "list"}, r"missing required field `choices`"),
        ({"choices": []}, "no choice"),
        (reply(refusal="I cannot help with that."), "refused: I cannot help with that."),
        (reply(None), "empty"),
        (reply(" \n"), "empty"),
        (reply("Bei", finish="length"), r"cut off \(length\): allow more tokens"),
        (reply("Bei", finish="content_filter"), r"cut off \(content_filter\)"),
    ],
)
async def test_what_is_no_answer_is_refused(model: Model, chat: Chat, body: Any, says_so: str) -> None:
    """No JSON, no choice, a refusal, nothing, or half of an answer is none; it costs, and is not asked again."""
    model.does(says(body))
    with pytest.raises(BadReply, match=says_so):
        await chat.ask(ASKED, max_tokens=50)
    assert len(model.heard) == 1
    assert chat.budget.spent >= 12


async def test_half_a_body_is_asked_for_again(model: Model, chat: Chat) -> None:
    """A connection that breaks in the middle of an answer costs what was set aside, and then it goes on."""
    model.does(says(b'{"choi', length=500), says(reply()))
    assert await chat.ask(ASKED, max_tokens=50) == "Beijing"
    assert chat.budget.spent > 12


async def test_a_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused connection names the address, and costs nothing: nothing was sent."""
    monkeypatch.setattr("agents.chat.PAUSE", 0.0)
    async with Chat("m1", base_url="http://127.0.0.1:9/v1", budget=Budget(10_000)) as chat:
        with pytest.raises(NoReply, match=r"asked 3 times: .*is the server at http://127.0.0.1:9/v1/ up\?"):
            await chat.ask(ASKED, max_tokens=50)
    assert chat.budget.spent == 0


async def test_the_key_goes_nowhere_else(model: Model, chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    """No redirect is followed, and a server that is named is not sent the environment's key."""
    model.does(says({}, 307, Location=f"{model.url}/elsewhere"))
    with pytest.raises(NoReply, match="status 307"):
        await chat.ask(ASKED, max_tokens=50)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another")
    model.does(says(reply()))
    async with Chat("m1", base_url=model.url, budget=Budget(1_000)) as keyless:
        await keyless.ask(ASKED, max_tokens=50)
    assert len(model.heard) == 2
    assert "sk-of-another" not in str(model.heard[1])


async def test_no_error_shows_the_key(model: Model, chat: Chat) -> None:
    """Not even where the server repeats it: neither in the message, nor in the traceback, nor in what is shown of the chat."""
    for act in (says({"error": {"message": f"wrong key {KEY}"}}, 401), says(reply(None, refusal=f"not with {KEY}"))):
        model.does(act)
        with pytest.raises(ChatError) as caught:
            await chat.ask(ASKED, max_tokens=50)
        assert KEY not in "".join(traceback.format_exception(caught.value))
        assert "…" in str(caught.value)
    assert KEY not in repr(chat)


async def test_a_lone_surrogate_is_sent_as_what_stands_for_it(model: Model, chat: Chat) -> None:
    """What cannot be encoded is no reason to fail."""
    model.does(says(reply()))
    await chat.ask([{"role": "user", "content": "a\ud800b"}], max_tokens=50)
    assert model.heard[0][1]["messages"][0]["content"] == "a�b"


async def test_the_temperature_is_sent_if_given(model: Model) -> None:
    """It stands in the request, also as 0."""
    model.does(says(reply()))
    async with Chat("m1", base_url=model.url, budget=Budget(1_000), temperature=0.0) as chat:
        await chat.ask(ASKED, max_tokens=50)
    assert model.heard[0][1]["temperature"] == 0.0


async def test_a_key_that_is_none_garbles_no_error(model: Model) -> None:
    """As local servers are given one: it is hidden where it stands as a word, and is no part of others."""
    model.does(says({"error": {"message": "asked, but k is wrong"}}, 401))
    async with Chat("tiny", base_url=model.url, api_key="k", budget=Budget(10_000)) as chat:
        with pytest.raises(NoReply, match="asked, but … is wrong"):
            await chat.ask([{"role": "user", "content": "?"}], 10)


async def test_what_cannot_be_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address of another kind, no time, a negative budget; no key where one is needed; no package."""
    with pytest.raises(BadValue, match="http://"):
        Chat("m1", base_url="localhost:11434", budget=Budget(1))
    with pytest.raises(BadValue, match="within"):
        Chat("m1", base_url="http://localhost", budget=Budget(1), within=0)
    with pytest.raises(BadValue, match="budget"):
        Budget(-1)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with Chat("m1", budget=Budget(1_000)) as chat:
        with pytest.raises(BadValue, match="OPENAI_API_KEY"):
            await chat.ask(ASKED, max_tokens=50)
        with pytest.raises(BadValue, match="max_tokens 0"):
            await chat.ask(ASKED, max_tokens=0)
    monkeypatch.setattr("agents.chat.find_spec", lambda _: None)
    with pytest.raises(NotInstalled, match=r"pheroboard\[llm\]"):
        Chat("m1", budget=Budget(1))


# ---- streams ----------------------------------------------------------------------------------------------------------------------------


def look_up(town: str, days: int = 1) -> str:
    """The weather in a town."""
    return f"{town}: {days} dry"


async def streamed(chat: Chat, *tools: Tool) -> tuple[list[str], Reply]:
    *texts, reply = [piece async for piece in chat.stream(ASKED, max_tokens=50, tools=tools)]
    assert isinstance(reply, Reply)
    assert all(isinstance(each, str) for each in texts)
    return [str(each) for each in texts], reply


async def test_a_stream_gives_its_pieces_and_then_the_whole(model: Model, chat: Chat) -> None:
    """The pieces of the text as they come, and the reply with its words, its end and its cost; the usage is asked for."""
    model.does(streams(chunk("Bei"), b": keep-alive\n\n", chunk("jing", role="assistant"), chunk("", "stop")))
    assert await streamed(chat) == (["Bei", "jing"], Reply("Beijing", (), "stop", 12))
    assert model.heard[0][1] == {
        "model": "m1", "messages": ASKED, "max_tokens": 50, "stream": True, "stream_options": {"include_usage": True}
    }  # fmt: skip
    assert chat.budget.spent == 12


async def test_a_stream_without_usage_costs_what_was_set_aside(model: Model, chat: Chat) -> None:
    """As any reply without one; and tools count as what they are in a prompt."""
    model.does(streams(*tells("Beijing"), usage=None))
    _, bare = await streamed(chat)
    _, equipped = await streamed(chat, Tool.of(look_up))
    assert 50 < bare.tokens < equipped.tokens
    assert chat.budget.spent == bare.tokens + equipped.tokens


async def test_tool_calls_are_gathered_from_their_pieces(model: Model, chat: Chat) -> None:
    """Several in one reply, their arguments in bits of JSON; and the tools are offered with their schemas."""
    model.does(streams(*calls(("look_up", {"town": "北京"}), ("look_up", {"town": "Xi'an", "days": 2}))))
    texts, reply = await streamed(chat, Tool.of(look_up))
    assert texts == []
    assert [call.name for call in reply.calls] == ["look_up", "look_up"]
    assert len({call.id for call in reply.calls}) == 2
    assert [json.loads(call.arguments) for call in reply.calls] == [{"town": "北京"}, {"town": "Xi'an", "days": 2}]
    (offered,) = model.heard[0][1]["tools"]
    assert offered["function"]["name"] == "look_up"
    assert offered["function"]["parameters"]["required"] == ["town"]


async def test_a_stream_that_breaks_in_the_middle_is_told(model: Model, chat: Chat) -> None:
    """What was given out is not given again: there is no second attempt, and all that was set aside is spent."""
    model.does(streams(chunk("Bei"), usage=None, done=False, length=900), says(reply()))
    async with aclosing(chat.stream(ASKED, max_tokens=50)) as pieces:
        assert await anext(pieces) == "Bei"
        with pytest.raises(NoReply, match=r"m1: .*is the server at .* up"):
            await anext(pieces)
    assert (len(model.heard), chat.budget.aside) == (1, 0)
    assert chat.budget.spent > 50


@pytest.mark.parametrize(
    "first",
    [
        says({"error": {"message": "slow down"}}, 429, Retry_After="0.01"),
        says({"error": {"message": "oops"}}, 500),
        streams(usage=None, done=False, length=900),
        streams(chunk(tool_calls=[call("look_up", '{"to')]), usage=None, done=False, length=900),
        streams({"error": {"message": "overloaded"}}, usage=None),
    ],
)
async def test_a_stream_of_which_nothing_came_is_begun_anew(model: Model, chat: Chat, first: Any) -> None:
    """A server that asks to wait, is in trouble, or breaks off before the first word is asked again."""
    model.does(first, streams(*tells("Beijing")))
    assert (await streamed(chat, Tool.of(look_up)))[0] == ["Beijing "]
    assert len(model.heard) == 2


@pytest.mark.parametrize(
    ("act", "says_so"),
    [
        (streams(b"data: {it works\n\n"), "outside of the protocol"),
        (streams(b"data: \xff\n\n"), "outside of the protocol"),
        (streams(b"data: [1]\n\n"), "outside of the protocol"),
        (streams({"choices": [{"delta": {"tool_calls": "many"}}]}), "outside of the protocol"),
        (streams(usage=None), "broke off before its end"),
        (streams(chunk("Bei"), usage=None), "broke off before its end"),
        (streams(chunk("Bei"), chunk(finish="length")), r"cut off \(length\)"),
        (streams(chunk(" "), chunk(finish="stop")), "empty"),
        (streams(chunk(refusal="I will "), chunk(refusal="not."), chunk(finish="stop")), "refused: I will not."),
        (streams(chunk(tool_calls=[call(None, "{}")]), chunk(finish="tool_calls")), "without naming it"),
        (says(b"<html>It works!</html>"), "broke off before its end"),
    ],
)
async def test_a_stream_that_is_no_answer_is_refused(model: Model, chat: Chat, act: Any, says_so: str) -> None:
    """Garbage, an end that is none, a refusal, nothing; it costs, and is not asked again."""
    model.does(act)
    with pytest.raises(BadReply, match=rf"^m1: .*{says_so}"):
        await streamed(chat)
    assert len(model.heard) == 1
    assert chat.budget.spent >= 12


async def test_the_reply_is_there_once_the_stream_is_paid(model: Model, chat: Chat) -> None:
    """Whoever has it need not read on: nothing is set aside any more."""
    model.does(streams(*tells("Beijing")))
    pieces = chat.stream(ASKED, max_tokens=50)
    assert [await anext(pieces) for _ in range(2)] == ["Beijing ", Reply("Beijing ", (), "stop", 12)]
    assert (chat.budget.spent, chat.budget.aside) == (12, 0)
    await pieces.aclose()


async def test_a_stream_that_is_left_is_closed_and_costs(model: Model, chat: Chat) -> None:
    """Who has heard enough closes it: nothing stays set aside, and the next request goes through."""
    model.does(streams(*tells("Beijing or another town")), says(reply()))
    async with aclosing(chat.stream(ASKED, max_tokens=50)) as pieces:
        assert await anext(pieces) == "Beijing "
    assert (chat.budget.aside, chat.budget.spent > 50) == (0, True)
    assert await chat.ask(ASKED, max_tokens=50) == "Beijing"


async def test_a_stream_that_hangs_in_the_middle_ends_in_time(model: Model) -> None:
    """The rest is waited for as any answer, and what was set aside is spent."""

    def hangs(handler: BaseHTTPRequestHandler) -> None:
        streams(chunk("Bei"), usage=None, done=False, length=900)(handler)
        model.hanging.wait()

    model.does(hangs)
    async with Chat("m1", base_url=model.url, budget=Budget(10_000), within=1.0) as chat:
        with pytest.raises(NoReply, match="did not answer within 1 s"):
            await streamed(chat)
        assert (chat.budget.aside, chat.budget.spent > 50) == (0, True)


async def test_a_piece_is_given_out_as_it_comes(model: Model, chat: Chat) -> None:
    """The reader has the beginning while the server has yet to write the end."""
    events = [f"data: {json.dumps(each)}\n\n".encode() for each in (chunk("Bei"), chunk("jing"), chunk(finish="stop"))]

    def waits(handler: BaseHTTPRequestHandler) -> None:
        says(events[0], length=sum(map(len, events)), Content_Type="text/event-stream")(handler)
        model.hanging.wait()
        handler.wfile.write(b"".join(events[1:]))

    model.does(waits)
    async with aclosing(chat.stream(ASKED, max_tokens=50)) as pieces:
        assert await anext(pieces) == "Bei"
        model.hanging.set()
        assert await anext(pieces) == "jing"


async def test_openais_own_server_is_told_the_cap_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its newer models refuse the one that all other servers know."""
    sent: list[dict[str, Any]] = []

    async def post(_client: Any, _path: str, *, body: dict[str, Any], **_: Any) -> dict[str, Any]:
        sent.append(body)
        return reply()

    monkeypatch.setattr("openai.AsyncOpenAI.post", post)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for url in (None, "http://127.0.0.1:9/v1"):
        async with Chat("m1", base_url=url, api_key=KEY, budget=Budget(1_000)) as chat:
            await chat.ask(ASKED, max_tokens=50)
    assert [set(each) - {"model", "messages"} for each in sent] == [{"max_completion_tokens"}, {"max_tokens"}]


async def test_a_question_is_no_call(model: Model, chat: Chat) -> None:
    """Who asks without tools gets words, or an error."""
    model.does(says(reply(None, tool_calls=[call("look_up", "{}")])))
    with pytest.raises(BadReply, match="called tools, and was given none"):
        await chat.ask(ASKED, max_tokens=50)


async def test_the_address_may_be_the_environments(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a base_url it is OPENAI_BASE_URL's, with that one's key, or none where there is none."""
    model.does(says(reply()))
    monkeypatch.setenv("OPENAI_BASE_URL", model.url)
    for key in (None, KEY):
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        if key:
            monkeypatch.setenv("OPENAI_API_KEY", key)
        async with Chat("m1", budget=Budget(1_000)) as chat:
            await chat.ask(ASKED, max_tokens=50)
    assert [headers["authorization"] for headers, _ in model.heard] == ["Bearer none", f"Bearer {KEY}"]
