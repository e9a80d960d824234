"""agents.scent_agent: messages on a board, and an agent that reads them."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio
import pytest

import blackboard
from agents import Agent, Crew, ScentAgent, on_change, say_message, say_task
from agents.scent_agent import SPEAKERS, Speaker
from blackboard.client import Board
from blackboard.errors import BadValue, NotInView
from blackboard.scent import FieldSettings, UnusualSettings, load_rules, tutoring
from blackboard.testing import RunningBoard, running_board
from bus.messages import Change, FieldView
from tests.agents.cli.commands import address_in, line_of, started

SHOP = "c7"


def opener(running: RunningBoard) -> Callable[[str], AbstractAsyncContextManager[Board]]:
    @asynccontextmanager
    async def opened(agent: str) -> AsyncIterator[Board]:
        async with Board(running.bus, running.service.name, agent) as board:
            yield board

    return opened


@asynccontextmanager
async def listening(running: RunningBoard, agent: Agent) -> AsyncIterator[Crew]:
    """The agent, as part of a crew on the board that runs."""
    crew = Crew([agent], opener(running), pause=0.001)
    async with crew.working():
        yield crew


async def field_after(agent: ScentAgent, *messages: tuple[Speaker, str], conversation: str = SHOP) -> FieldView:
    """The agent's field once it has read these messages of the agent *front*."""
    async with running_board("front") as running, listening(running, agent) as crew:
        for speaker, text in messages:
            await say_message(running["front"], text, conversation=conversation, speaker=speaker)
        await crew.settled()
        assert crew.report.failures == ()
        return await agent.board.field(conversation)


async def test_a_conversation_is_read() -> None:
    """What is said becomes facts of the agent's and shared slots about the order, or else the conversation, that all can recall."""
    reader = ScentAgent()
    async with running_board("front", "warehouse") as running, listening(running, reader) as crew:
        await say_message(running["front"], "Ship it to 5 Hill Road, Boston", conversation=SHOP)
        await say_message(running["front"], "发票地址是杭州市文三路9号", conversation="c8")
        await say_message(running["front"], "No, ship order A789 to 7 Main Street, Springfield", conversation="c9")
        await crew.settled()
        assert crew.report.failures == ()
        facts = await reader.board.recall("*_address", conversation=SHOP)
        assert [(fact.value, fact.confirm) for fact in facts] == [("5 Hill Road, Boston", False)]
        assert (await reader.board.recall("billing_address", conversation="c8")).value == "杭州市文三路9号"
        seen = {(item.key, item.target, item.value, item.owner) for item in await running["warehouse"].top(kind="slot")}
        assert ("shipping_address", SHOP, "5 Hill Road, Boston", "scent-agent") in seen
        assert ("shipping_address", "A789", "7 Main Street, Springfield", "scent-agent") in seen


async def test_a_message_is_a_trace() -> None:
    """It is shared, fades, and is found by who said it; two who say the same say two things."""
    async with running_board("front", "viewer") as running:
        for speaker in SPEAKERS[:2]:
            await say_message(running["front"], "好的", conversation=SHOP, speaker=speaker)
        async with running["front"].batch() as batch:
            await say_message(batch, "hello")
        found = [(item.kind, item.key, item.target, item.meta["speaker"]) for item in await running["viewer"].top()]
        assert len(found) == 3
        assert set(found) == {
            ("trace", "message:assistant", SHOP, "assistant"),
            ("trace", "message:user", None, "user"),
            ("trace", "message:user", SHOP, "user"),
        }


async def test_turns() -> None:
    """A user's message begins a round, the same words said again, too; what others say belongs to the round that runs."""
    said: list[tuple[Speaker, str]] = [
        ("user", "好的"),
        ("assistant", "好的"),
        ("user", "好的"),
        ("system", "ERROR 504"),
        ("tool", "shipped"),
        ("user", "好的"),
    ]
    view = await field_after(ScentAgent(), *said)
    assert view.round == 3
    assert {"chatter", "error_log"} <= view.concentrations.keys()


async def test_tasks() -> None:
    """Who publishes that a task begins or ends has said it in the order of the messages; what stood before can be gone on with."""
    reader = ScentAgent()
    async with running_board("front") as running, listening(running, reader) as crew:
        front = running["front"]
        await say_message(front, "Ship order A789 to 5 Hill Road, Boston", conversation=SHOP)
        await say_task(front, "returns", conversation=SHOP)
        await say_message(front, "ok", conversation=SHOP)
        await crew.settled()
        field = await reader.board.field(SHOP)
        assert (field.task, list(field.concentrations)) == ("returns", ["chatter"])
        await say_message(front, "Continue with the order from before", conversation=SHOP)
        await crew.settled()
        address = await reader.board.recall("shipping_address", conversation=SHOP)
        assert (address.value, address[0].confirm) == ("5 Hill Road, Boston", True)
        for _ in range(2):
            await say_task(front, None, conversation=SHOP)
            await crew.settled()
            assert (await reader.board.field(SHOP)).task is None
            await say_task(front, "returns", conversation=SHOP)
            await crew.settled()
            field = await reader.board.field(SHOP)
            assert (field.task, field.concentrations) == ("returns", {})
        assert crew.report.failures == ()
        assert "returns" in field.snapshots
        assert await front.top(kind="state") == []


async def test_said_again() -> None:
    """A message that was withdrawn is said once more by who says it again."""
    reader = ScentAgent()
    async with running_board("front") as running, listening(running, reader) as crew:
        for round_ in (1, 2):
            item = await say_message(running["front"], "hello", conversation=SHOP)
            await running["front"].wait_applied()
            await crew.settled()
            assert (await reader.board.field(SHOP)).round == round_
            await running["front"].retract(item)


async def test_without_a_name() -> None:
    """The conversation that has no name is read, too."""
    view = await field_after(ScentAgent(), ("user", "Ship it to 5 Hill Road, Boston"), conversation="")
    assert "shipping_address" in view.concentrations


async def test_which_conversations() -> None:
    """Those that are named alone; and nothing but messages."""
    reader = ScentAgent(conversations=["c1"])
    async with running_board("front") as running, listening(running, reader) as crew:
        for conversation in ("c1", "c2"):
            await say_message(running["front"], "Ship it to 5 Hill Road, Boston", conversation=conversation)
        for key in ("note", "message:anybody", "messages:user", None):
            await running["front"].deposit("Cancel order B456", kind="trace", key=key, target="c1", scope="shared")
        item = await say_message(running["front"], "Bill it to 7 Main Street, Springfield", conversation="c1")
        await crew.settled()
        await running["front"].reinforce(item, 1.0)
        await running["front"].retract(item)
        await crew.settled()
        assert (await reader.board.field("c1")).round == 2
        assert "directive" not in (await reader.board.field("c1")).concentrations
        assert (await reader.board.field("c2")).round == 0


async def test_settings_and_rules(tmp_path: Path) -> None:
    """The field behaves, and messages are read, as the agent was made; its items may be its own alone."""
    rules = tmp_path / "gifts.toml"
    rules.write_text("[types.gift]\nlabel = 'Gift'\nconcentration = 0.7\ndecay = 0.9\npatterns = ['gift: (?P<value>[a-z]+)']\n", "utf-8")
    reader = ScentAgent("tutor", settings=tutoring, rules=load_rules(rules), scope="private")
    async with running_board("front") as running, listening(running, reader) as crew:
        await say_message(running["front"], "gift: ribbon")
        await crew.settled()
        assert (await reader.board.field()).settings == tutoring
        assert (await reader.board.recall("gift")).value == "ribbon"
        assert await running["front"].top(kind="slot") == []


class Fragile(ScentAgent):
    """Falls at some messages, once each: before it has observed them, or behind that."""

    def __init__(self) -> None:
        super().__init__("fragile")
        self.fallen: set[tuple[str, str]] = set()

    @on_change(kind="trace")
    async def said(self, change: Change) -> None:
        await self.fall("before", change)
        await super().said(change)

    @on_change(kind="trace")
    async def then(self, change: Change) -> None:
        await self.fall("behind", change)

    async def fall(self, when: str, change: Change) -> None:
        text = (await self.board.get(change.item)).content
        if when in text and (when, text) not in self.fallen:
            self.fallen.add((when, text))
            raise ZeroDivisionError(text)


async def test_a_message_counts_once(caplog: pytest.LogCaptureFixture) -> None:
    """Through failures before and behind what was observed, also where several messages are one unit."""
    reader = Fragile()
    async with running_board("front") as running, listening(running, reader) as crew:
        async with running["front"].batch() as batch:
            for text in ("one", "before two", "behind three", "four", "behind five"):
                await say_message(batch, text)
        with caplog.at_level(logging.ERROR):
            await crew.settled()
        assert len(crew.report.failures) == 3
        assert (await reader.board.field()).round == 5


async def test_what_cannot_be_read_stops_nothing(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message that is gone, or that the board refuses, is passed over; the latter with a word."""
    reader = ScentAgent()
    async with running_board("front") as running, listening(running, reader) as crew:
        get = reader.board.get

        async def got(item: str) -> object:
            found = await get(item)
            if found.content == "gone":
                raise NotInView
            if found.content == "odd":
                raise BadValue("it is odd")
            return found

        monkeypatch.setattr(reader.board, "get", got)
        with caplog.at_level(logging.WARNING):
            for text in ("gone", "odd", "Ship it to 5 Hill Road, Boston"):
                await say_message(running["front"], text, conversation=SHOP)
            await crew.settled()
        assert crew.report.failures == ()
        assert (await reader.board.field(SHOP)).round == 1
    assert caplog.messages == ["scent-agent passes over a message of conversation 'c7': it is odd"]


async def test_wrong_arguments() -> None:
    """Are refused with the value, unusual ones warned of."""
    async with running_board("front") as running:
        with pytest.raises(BadValue, match="speaker 'Anna': one of user, assistant, system, tool"):
            await say_message(running["front"], "hello", speaker="Anna")  # type: ignore[arg-type]
        with pytest.raises(BadValue, match="is empty: say something"):
            await say_message(running["front"], " ")
    with pytest.raises(BadValue, match="'c7' is one text: give a list"):
        ScentAgent(conversations="c7")
    with pytest.raises(BadValue, match="max_rounds 0"):
        ScentAgent(settings=FieldSettings(max_rounds=0))
    with pytest.raises(BadValue, match=r"load_rules"):
        ScentAgent(rules="shop.toml")  # type: ignore[arg-type]
    with pytest.warns(UnusualSettings, match="max_rounds 3"):
        ScentAgent(settings=FieldSettings(max_rounds=3))


async def test_over_nats(tmp_path: Path) -> None:
    """On a board that is served, messages of another process's agent are read, in order."""
    reader = ScentAgent()
    with started(tmp_path, "up", "desk") as up:
        address = f"{address_in(await anyio.to_thread.run_sync(line_of, up))}/desk"
        async with blackboard.open(address, agent="front") as front:
            crew = Crew([reader], address)
            async with crew.working():
                for text in ("发到上海市浦东新区世纪大道100号", "好的", "好的", "不对，发到北京市海淀区中关村大街27号"):
                    await say_message(front, text, conversation=SHOP)
                await front.wait_applied()
                await crew.settled()
                fact = (await reader.board.recall("shipping_address", conversation=SHOP))[0]
                assert (fact.value, fact.round, fact.confirm) == ("北京市海淀区中关村大街27号", 4, False)
            [item] = await front.top(kind="slot")
            assert (item.value, item.target) == ("北京市海淀区中关村大街27号", SHOP)
