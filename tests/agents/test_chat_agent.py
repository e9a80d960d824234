"""The claims of ``agents.chat_agent``, against a server on loopback that speaks the protocol, on real boards."""

import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, NoReturn

import anyio
import pytest

from agents import ChatAgent, Crew, on_signal
from agents.adapters.service import MemoryService
from agents.board_tools import board_tools
from agents.chat import Budget
from agents.chat_agent import VERBS
from agents.errors import BadReply, BudgetSpent, NoReply
from blackboard.client import Board
from blackboard.errors import BadValue, NotInstalled
from blackboard.section import OPENING
from blackboard.testing import RunningBoard, running_board
from bus.errors import NoAnswer
from bus.messages import Signal
from tests.agents.adapters.told import told
from tests.agents.chat_server import Model, calls, chunk, says, serving, streams, tells

Act = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture
def model() -> Iterator[Model]:
    with serving() as model:
        yield model


@pytest.fixture
async def running() -> AsyncIterator[RunningBoard]:
    async with running_board("finance", "travel") as running:
        yield running


def waits(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let a memory service wait so long for its board."""
    assert MemoryService.__init__.__kwdefaults__
    monkeypatch.setitem(MemoryService.__init__.__kwdefaults__, "within", seconds)


@pytest.fixture
async def make(model: Model, running: RunningBoard, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callable[..., ChatAgent]]:
    """Makes chat agents on the board, and closes them."""
    waits(monkeypatch, 20.0)  # however busy the machine is
    made: list[ChatAgent] = []

    def agent(name: str = "travel", board: Board | None = None, **settings: Any) -> ChatAgent:
        given: dict[str, Any] = {"model": "m1", "budget": Budget(1_000_000), "base_url": model.url}
        made.append(ChatAgent(name, board or running[name], **(given | settings)))
        return made[-1]

    yield agent
    for each in made:
        await each.stop()


def prompts(model: Model) -> list[list[dict[str, Any]]]:
    """The messages of each request so far."""
    return [body["messages"] for _, body in model.heard]


def view(messages: list[dict[str, Any]]) -> str:
    """The memory at the tail of a prompt; "" if there is none."""
    last: str = messages[-1]["content"]
    return last if messages[-1]["role"] == "user" and last.startswith(OPENING) else ""


async def contents(board: Board, kind: str | None = None) -> list[str]:
    await board.wait_applied()
    return [told(item) for item in await board.top(500) if kind in {None, item.kind}]


# ---- a turn -----------------------------------------------------------------------------------------------------------------------------


async def test_a_turn_streams_and_is_remembered(model: Model, running: RunningBoard, make: Callable[..., ChatAgent]) -> None:
    """The words come as the model writes them; then both sides of the turn are in the history, and what was stated is on the board."""
    model.does(streams(*tells("Hangzhou is quiet in May.")))
    agent = make(instructions="You plan journeys.", max_tokens=70, max_calls=1)
    assert [piece async for piece in agent.stream("We are twelve.")] == ["Hangzhou ", "is ", "quiet ", "in ", "May. "]
    assert agent.history == ({"role": "user", "content": "We are twelve."}, {"role": "assistant", "content": "Hangzhou is quiet in May. "})
    body = model.heard[0][1]
    assert body["messages"][:2] == [{"role": "system", "content": "You plan journeys."}, agent.history[0]]
    assert (body["max_tokens"], [each["function"]["name"] for each in body["tools"]]) == (70, list(VERBS))
    assert set(await contents(running["travel"])) == {"We are twelve.", "Hangzhou is quiet in May."}
    assert await contents(running["finance"]) == []
    assert agent.budget.spent == 12


async def test_what_is_said_may_be_shared(model: Model, running: RunningBoard, make: Callable[..., ChatAgent]) -> None:
    """With the scope shared, the others see it."""
    model.does(streams(*tells("Noted.")))
    await make(scope="shared").chat("Nobody flies to Hangzhou.")
    assert "Nobody flies to Hangzhou." in await contents(running["finance"])


async def test_a_constraint_of_one_is_in_the_others_prompt(model: Model, running: RunningBoard, make: Callable[..., ChatAgent]) -> None:
    """What one agent's model states for all is at the tail of the other's prompt, marked; what it keeps to itself never is."""
    finance, travel = make("finance"), make("travel")
    model.does(
        streams(*calls(("constrain", {"key": "trip_cost", "op": "<=", "value": 50_000, "unit": "CNY"}))),
        streams(*tells("The reserve for the trip is 8,000 CNY.")),
        streams(*tells("By train, then.")),
    )
    await finance.chat("The trip may cost 50,000 CNY at most.")
    assert await travel.chat("What may the trip cost?") == "By train, then. "
    last = prompts(model)[-1]
    assert '<data from="finance">trip_cost <= 50000 CNY</data>' in view(last)
    assert view(last) == travel.remembered
    assert "8,000" not in json.dumps(last)
    assert await contents(running["finance"], "tool_result") == []  # what its own tool told, the board has


async def test_a_hundred_turns_leave_no_copy(model: Model, running: RunningBoard, make: Callable[..., ChatAgent]) -> None:
    """Each prompt has memory at its tail; the history and the board have none of it, and grow by no more than what was said."""
    await running["finance"].constrain("trip_cost", "<=", 50_000, unit="CNY")

    def days() -> str:
        return "two days in May"

    agent = make(instructions="You plan journeys.", tools=[days], window=20_000)
    for n in range(100):
        model.does(*[streams(*calls(("days", {})))] * (n % 10 == 0), streams(*tells("Two days in May are best.")))
        await agent.chat(f"How many days in May, asked the {n}th time?")
    assert len(agent.history) == 220
    assert OPENING.strip() not in json.dumps(agent.history)
    sent = prompts(model)
    assert all("trip_cost <= 50000 CNY" in view(each) for each in sent)
    before: list[dict[str, Any]] = []
    for each in sent:  # byte for byte
        assert json.dumps(each[: len(before)]) == json.dumps(before)
        before = each[:-1]
    # The constraint, the answer and the tool's result: questions are not kept.
    assert sorted(await contents(running["travel"])) == ["Two days in May are best.", "days(): two days in May", "trip_cost <= 50000 CNY"]


async def test_the_window_moves_by_whole_turns_and_the_board_remembers(
    model: Model, running: RunningBoard, make: Callable[..., ChatAgent]
) -> None:
    """What was said at first has left the history, with no tool's result parted from its call, and stands in the memory at the tail."""

    def offers(town: str) -> str:
        return f"offers for {town}: " + "a hotel by the lake, breakfast included; " * 20

    agent = make(tools=[offers], verbs=(), window=3_000, max_tokens=100, memory_tokens=300)
    model.does(streams(*tells("Noted.")))
    await agent.chat("Mei must not fly.")
    for n in range(20):
        model.does(streams(*calls(("offers", {"town": f"town {n}"}))), streams(*tells(f"Town {n} has {n} of them.")))
        await agent.chat(f"What is there in town {n}?")
    model.does(streams(*tells("She takes the train.")))
    await agent.chat("Does Mei fly?")
    last = prompts(model)[-1]
    assert "Mei must not fly." in view(last)
    assert "Mei must not fly." not in json.dumps(agent.history)
    starts = []
    for each in prompts(model):
        assert each[0]["role"] == "user"
        called = [made["id"] for message in each for made in message.get("tool_calls", ())]
        assert called == [message["tool_call_id"] for message in each if message["role"] == "tool"]
        starts.append(each[0]["content"])
    assert 2 < len(set(starts)) < 8  # it moves now and then, and not with every turn


# ---- tools ------------------------------------------------------------------------------------------------------------------------------


async def test_tools_are_called_in_order_and_their_results_told(
    model: Model, running: RunningBoard, make: Callable[..., ChatAgent]
) -> None:
    """Several in a reply, plain and async ones; the model gets text or JSON, and the board what they returned."""
    asked: list[str] = []

    async def price(town: str, people: int = 1) -> dict[str, int]:
        """What a trip costs."""
        asked.append(town)
        return {"CNY": 4_000 * people}

    def weather(town: str) -> str:
        asked.append(town)
        return "晴"

    model.does(
        streams(*calls(("price", {"town": "Hangzhou", "people": 12}), ("weather", {"town": "Qingdao"}))), streams(*tells("Hangzhou."))
    )
    agent = make(tools=[price, weather])
    await agent.chat("Where to?")
    assert asked == ["Hangzhou", "Qingdao"]
    (_, wanted, *results, said) = agent.history
    assert [each["function"]["name"] for each in wanted["tool_calls"]] == ["price", "weather"]
    assert [(each["role"], each["content"]) for each in results] == [("tool", '{"CNY":48000}'), ("tool", "晴")]
    assert [each["tool_call_id"] for each in results] == [each["id"] for each in wanted["tool_calls"]]
    assert said["content"] == "Hangzhou. "
    assert list(prompts(model)[1][: len(agent.history) - 1]) == list(agent.history[:-1])
    assert set(await contents(running["travel"], "tool_result")) == {
        'price(town="Hangzhou", people=12): {"CNY":48000}', 'weather(town="Qingdao"): 晴'
    }  # fmt: skip


async def test_what_is_wrong_with_a_call_is_told_to_the_model(model: Model, running: RunningBoard, make: Callable[..., ChatAgent]) -> None:
    """No JSON, no such tool, arguments that do not fit, a tool that raises, a verb that the board refuses: each with the cure."""

    def price(town: str) -> int:
        raise LookupError(f"no price for {town}")

    model.does(
        streams(
            *calls(
                ("price", '{"town": '), ("price", "[1]"), ("prize", {}), ("price", {"city": "x"}), ("price", {"town": "Wuhan"}),
                ("share", {"item": "none"}), ("constrain", {"key": "k", "op": "!", "value": 1}),
            )
        ),
        streams(*tells("I do not know.")),
    )  # fmt: skip
    agent = make(tools=[price], verbs=("share", "constrain"))
    assert await agent.chat("What does it cost?") == "I do not know. "
    told = [each["content"] for each in agent.history if each["role"] == "tool"]
    assert told[:3] == [
        "error: the arguments of price are no JSON object: write one that fits its schema",
        "error: the arguments of price are no JSON object: write one that fits its schema",
        "error: there is no tool 'prize': call one of price, constrain, share",
    ]
    assert told[3] == "error: tool price: Object contains unknown field `city`"
    assert told[4] == "error: LookupError: no price for Wuhan"
    assert told[5] == "error: not in your view"
    assert told[6].startswith("error: tool constrain: Invalid enum value '!'")
    sent = [each["function"]["arguments"] for each in agent.history[1]["tool_calls"]]
    assert sent[:3] == ["{}", "{}", "{}"]  # some servers refuse the rest, which their model wrote
    assert 'price(town="Wuhan") failed: error: LookupError: no price for Wuhan' in await contents(running["travel"], "trace")
    assert await contents(running["travel"], "tool_result") == []


async def test_a_tools_flood_is_shortened(model: Model, make: Callable[..., ChatAgent]) -> None:
    """A result takes a quarter of the window at most, and says what is left out."""

    def log() -> str:
        return "line of a log\n" * 100_000

    model.does(streams(*calls(("log", {}))), streams(*tells("Long.")))
    agent = make(tools=[log], window=8_000)
    await agent.chat("What does the log say?")
    result = agent.history[2]["content"]
    assert len(result) < 8_000
    assert result.endswith(" characters left out]")


async def test_a_result_that_cannot_be_told_is_a_tool_that_failed(model: Model, make: Callable[..., ChatAgent]) -> None:
    """What contains itself, what is no text, what has none: the model is told, and the turn goes on."""

    class Mute:
        def __str__(self) -> NoReturn:
            raise LookupError("no words")

    def itself() -> list[Any]:
        result: list[Any] = []
        result.append(result)
        return result

    def half() -> list[str]:
        return ["\ud800"]

    def mute() -> Mute:
        return Mute()

    model.does(streams(*calls(("itself", {}), ("half", {}), ("mute", {}))), streams(*tells("Well.")))
    agent = make(tools=[itself, half, mute])
    assert await agent.chat("What is there?") == "Well. "
    told = [each["content"] for each in agent.history if each["role"] == "tool"]
    assert [each.split(":")[1].strip() for each in told] == ["RecursionError", "UnicodeEncodeError", "LookupError"]


async def test_where_there_are_no_tools_none_is_named(model: Model, make: Callable[..., ChatAgent]) -> None:
    """A model may call one all the same."""
    model.does(streams(*calls(("price", {}))), streams(*tells("Well.")))
    agent = make(verbs=())
    await agent.chat("What does it cost?")
    assert agent.history[2]["content"] == "error: there is no tool 'price': there is none at all"


async def test_a_turn_that_its_window_has_no_room_for_is_not_sent(model: Model, make: Callable[..., ChatAgent]) -> None:
    """Neither a long text, nor a turn whose tools have returned too much; the history stays as it was."""

    def log() -> str:
        return "line of a log\n" * 2_000

    agent = make(tools=[log], window=4_000)
    with pytest.raises(BadValue, match=r"the turn has \d,\d+ tokens more than window 4,000 has room for"):
        await agent.chat("word " * 10_000)
    assert not model.heard
    model.does(streams(*tells("Yes.")))
    await agent.chat("Well?")
    model.does(streams(*calls(*[("log", {})] * 4)), streams(*tells("Long.")))
    with pytest.raises(BadValue, match="has room for: say less, or make it larger"):
        await agent.chat("What do the logs say?")
    assert (len(model.heard), len(agent.history)) == (2, 2)


async def test_a_turn_has_so_many_calls_at_most(model: Model, make: Callable[..., ChatAgent]) -> None:
    """A model that only calls tools is stopped, and the turn leaves nothing in the history."""
    model.does(streams(*calls(("constraints", {}))))
    agent = make(max_calls=3)
    with pytest.raises(BadReply, match=r"m1 has called tools 3 times and not answered: allow more \(max_calls=…\)"):
        await agent.chat("Well?")
    assert (len(model.heard), agent.history) == (3, ())


async def test_a_tool_may_ask_another_agent_and_not_its_own(model: Model, make: Callable[..., ChatAgent]) -> None:
    """An agent may be another's tool; one that would wait for itself is told so, instead of waiting for ever."""

    async def ask_finance(question: str) -> str:
        return await finance.chat(question)

    async def ask_travel(question: str) -> str:
        return await travel.chat(question)

    finance, travel = make("finance", tools=[ask_travel]), make("travel", tools=[ask_finance])
    model.does(
        streams(*calls(("ask_finance", {"question": "How much?"}))),
        streams(*calls(("ask_travel", {"question": "For what?"}))),
        streams(*tells("50,000.")),
        streams(*tells("At most 50,000.")),
    )
    assert await travel.chat("How much may it cost?") == "At most 50,000. "
    assert finance.history[2]["content"] == "error: a tool of travel asks travel, whose turn waits for the tool: let it ask another agent"
    assert travel.history[2]["content"].strip() == "50,000."


# ---- what goes wrong --------------------------------------------------------------------------------------------------------------------


async def test_it_stops_at_its_budget_in_the_middle_of_a_turn(model: Model, make: Callable[..., ChatAgent]) -> None:
    """The call that the budget might not bear is not made; the turns before it stay, and nothing of this one."""
    usage = {"prompt_tokens": 3_000, "completion_tokens": 100, "total_tokens": 3_100}
    model.does(streams(*tells("Hello."), usage=usage), streams(*calls(("constraints", {})), usage=usage))
    agent = make(budget=Budget(8_000))
    await agent.chat("We are twelve.")
    before = agent.history
    with pytest.raises(BudgetSpent, match=r"6,200 of 8,000 tokens are spent.*give a larger budget"):
        await agent.chat("What must hold?")
    assert (agent.history, len(model.heard), agent.budget.aside) == (before, 2, 0)


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (says({"error": {"message": "no such model"}}, 404), NoReply),
        (streams(chunk("Hang"), usage=None, done=False, length=900), NoReply),
        (streams(chunk("Hang"), chunk(finish="length")), BadReply),
    ],
)
async def test_the_models_errors_are_the_callers(model: Model, make: Callable[..., ChatAgent], act: Act, error: type[Exception]) -> None:
    """They come as they are, in the middle of a turn and of a stream; the history is as before, and the next turn is as any."""
    agent = make()
    model.does(streams(*calls(("constraints", {}))), act)
    with pytest.raises(error):
        await agent.chat("Where to?")
    assert agent.history == ()
    model.does(streams(*tells("Hangzhou.")))
    assert await agent.chat("Where to?") == "Hangzhou. "
    assert [each["role"] for each in prompts(model)[-1]][:1] == ["user"]


async def test_a_turn_that_is_cancelled_leaves_nothing(model: Model, make: Callable[..., ChatAgent]) -> None:
    """While the model thinks, and while a tool works: what was begun is closed, and the next turn is as any."""
    working = anyio.Event()

    async def wait() -> None:
        working.set()
        await anyio.sleep_forever()

    def hangs(handler: BaseHTTPRequestHandler) -> None:
        anyio.from_thread.run_sync(working.set, token=token)
        model.hanging.wait()

    token = anyio.lowlevel.current_token()
    agent = make(tools=[wait])
    for act in (hangs, streams(*calls(("wait", {})))):
        working = anyio.Event()
        model.does(act)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(agent.chat, "Where to?")
            await working.wait()
            tasks.cancel_scope.cancel()
        assert (agent.history, agent.budget.aside) == ((), 0)
    model.does(streams(*tells("Hangzhou.")))
    assert await agent.chat("Where to?") == "Hangzhou. "


async def test_a_stream_that_is_left_blocks_nobody(model: Model, make: Callable[..., ChatAgent]) -> None:
    """A reader that goes away in the middle ends its turn, which leaves nothing; also where it does not say so."""
    model.does(streams(*tells("Hangzhou is quiet in May.")))
    agent = make()
    async for piece in agent.stream("Where to?"):
        assert piece == "Hangzhou "
        break
    with anyio.fail_after(20):
        assert await agent.chat("And then?") == "Hangzhou is quiet in May. "
    assert [each["content"] for each in agent.history] == ["And then?", "Hangzhou is quiet in May. "]


async def test_one_turn_at_a_time(model: Model, make: Callable[..., ChatAgent]) -> None:
    """Of those that are asked at once, each sees the ones before it whole."""
    model.does(streams(*calls(("constraints", {}))), streams(*tells("One.")), streams(*tells("Two.")), streams(*tells("Three.")))
    agent = make()
    async with anyio.create_task_group() as tasks:
        for n in range(3):
            tasks.start_soon(agent.chat, f"Question {n}?")
    assert [each["role"] for each in agent.history] == ["user", "assistant", "tool", "assistant", *["user", "assistant"] * 2]


async def test_a_board_that_is_away_costs_the_memory_alone(
    model: Model, running: RunningBoard, make: Callable[..., ChatAgent], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The turns go on without, told once; once the board is back so is the memory, with what was said meanwhile."""
    caplog.set_level(logging.INFO, "agents.adapters")
    monkeypatch.setattr("agents.adapters.reaching.AGAIN", 0.01)
    await running["finance"].constrain("trip_cost", "<=", 50_000, unit="CNY")
    agent = make()
    model.does(streams(*tells("Noted.")))
    await agent.chat("Nobody flies.")
    assert "trip_cost" in agent.remembered
    await agent.stop()
    waits(monkeypatch, 1.0)

    async def away(*_: object) -> NoReturn:
        raise NoAnswer("gone")

    with monkeypatch.context() as patch:
        patch.setattr(running.bus, "ask", away)
        model.does(streams(*calls(("constraints", {}))), streams(*tells("By train.")))
        assert await agent.chat("Mei is vegetarian.") == "By train. "
        assert agent.remembered == ""
        assert agent.history[-2]["content"] == "error: the board is away for now: go on without it"
        model.does(streams(*tells("By train.")))
        await agent.chat("Do we fly?")
    with anyio.fail_after(20):
        while "the board of travel is back" not in caplog.text:
            await anyio.lowlevel.checkpoint()
    await agent.chat("Is Mei vegetarian?")
    assert "trip_cost" in agent.remembered
    assert "Mei is vegetarian." in await contents(running["travel"])
    assert [each.levelname for each in caplog.records] == ["WARNING", "INFO"]


# ---- in a crew --------------------------------------------------------------------------------------------------------------------------


async def test_a_handler_may_chat(model: Model) -> None:
    """In a crew it gets its board like any agent; a signal makes it think, in its own turn, and its words to itself are no user's."""
    said: list[str] = []

    class Travel(ChatAgent):
        @on_signal("violated", own=True)
        async def settle(self, signal: Signal) -> None:
            await self.chat(f"{signal.evidence.rule} is broken. Find another.", observed=False)
            said.extend(await contents(self.board))

        async def run(self) -> None:
            await self.board.constrain("trip_cost", "<=", 50_000, unit="CNY")
            await self.board.deposit("Qingdao", key="trip_cost", value=58_000, unit="CNY", scope="shared")

    model.does(streams(*tells("Hangzhou, for 46,000 CNY.")))
    async with running_board() as running:
        agent = Travel(model="m1", budget=Budget(100_000), base_url=model.url)
        report = await Crew([agent], lambda name: Board(running.bus, "board", name)).run()
    assert report.failures == ()
    assert [each["content"] for each in agent.history] == ["trip_cost <= 50000 CNY is broken. Find another.", "Hangzhou, for 46,000 CNY. "]
    assert sorted(said) == ["Hangzhou, for 46,000 CNY.", "Qingdao", "trip_cost <= 50000 CNY"]
    assert agent.name == "travel"


# ---- what cannot be ---------------------------------------------------------------------------------------------------------------------


def twice() -> None:
    """A tool."""


@pytest.mark.parametrize(
    ("settings", "says_so"),
    [
        ({"max_tokens": 0}, "max_tokens 0"),
        ({"memory_tokens": 0}, "memory_tokens 0"),
        ({"max_calls": 0}, "max_calls 0"),
        ({"scope": "public"}, "scope 'public': give private or shared"),
        ({"window": 1_500}, r"window 1,500: instructions, tools, memory and answer alone take 2,\d+ tokens"),
        ({"verbs": ("erase",)}, r"verbs \['erase'\]: give a list of check, "),
        ({"verbs": "check"}, "verbs 'check'"),
        ({"tools": [twice, twice]}, r"tool 'twice', number 1: .* another tool has that name"),
        ({"base_url": "localhost"}, "http://"),
    ],
)
def test_what_cannot_be_is_refused_at_once(settings: dict[str, Any], says_so: str) -> None:
    """Where the agent is made, with the value and the cure."""
    given: dict[str, Any] = {"model": "m1", "budget": Budget(1)}
    with pytest.raises(BadValue, match=says_so):
        ChatAgent("travel", **(given | settings))


async def test_a_tool_cannot_have_a_verbs_name_and_a_blank_text_says_nothing(make: Callable[..., ChatAgent]) -> None:
    """Unless the verb is left out."""

    def check() -> None:
        pass

    with pytest.raises(BadValue, match="'check'"):
        make(tools=[check])
    with pytest.raises(BadValue, match="blank"):
        await make(tools=[check], verbs=()).chat(" ")


async def test_the_verbs_are_the_boards(running: RunningBoard) -> None:
    """Each is one of its tools."""
    assert set(VERBS) == {tool.name for tool in board_tools(running["travel"])} - {"assemble"}


def test_without_the_package_it_says_which_extra_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra."""
    monkeypatch.setattr("agents.chat.find_spec", lambda _: None)
    with pytest.raises(NotInstalled, match=r"pheroboard\[llm\]"):
        ChatAgent("travel", model="m1", budget=Budget(1))
