"""Units reach the log in order, each once, packed."""

import asyncio

import pytest

from blackboard import sending
from blackboard.errors import BoardClosed, TooBig
from blackboard.line import Line
from blackboard.sending import Sender
from bus.errors import NoAnswer, NotPermitted, Unreachable
from bus.memory import MemoryBus
from bus.messages import Confirm, Post, Unit, decode_post


class Recording(MemoryBus):
    """A bus that keeps what is published, and fails as told."""

    def __init__(self) -> None:
        super().__init__(lambda: 0.0)
        self.posts: list[Post] = []
        self.errors: list[Exception] = []
        self.published = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()

    async def publish(self, _board: str, _agent: str, data: bytes) -> int:
        self.posts.append(decode_post(data))
        self.published.set()
        await self.open.wait()
        if self.errors:
            raise self.errors.pop(0)
        return len(self.posts)


def unit(number: int) -> Unit:
    return (Confirm(f"{number}"),)


@pytest.fixture
def bus() -> Recording:
    return Recording()


def sender(bus: Recording) -> Sender:
    return Sender(Line(bus, "board", "finance"))


async def test_what_is_said_meanwhile_goes_together(bus: Recording) -> None:
    """While a post is under way the next gathers what is said, in order."""
    out = sender(bus)
    bus.open.clear()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(out.say(unit(0)))
        await bus.published.wait()
        for number in range(1, 5):
            tasks.create_task(out.say(unit(number)))
        await asyncio.sleep(0)
        bus.open.set()
    assert [post.units for post in bus.posts] == [(unit(0),), tuple(unit(number) for number in range(1, 5))]
    assert [post.seq for post in bus.posts] == [1, 2]
    assert out.mark == (bus.posts[0].epoch, 2)
    await out.aclose()


async def test_posts_are_bounded(bus: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """Units that do not fit go into the next post; one that is too large by itself is refused at once."""
    monkeypatch.setattr(sending, "MAX_POST", 100)
    out = sender(bus)
    async with asyncio.TaskGroup() as tasks:
        for number in range(10):
            tasks.create_task(out.say((Confirm(f"{number}" * 20),)))
    assert [len(post.units) for post in bus.posts] == [2, 2, 2, 2, 2]
    with pytest.raises(TooBig, match="at most 100 fit"):
        await out.say((Confirm("x" * 100),))
    await out.aclose()


async def test_sent_again_until_acknowledged(bus: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """A post without an answer is sent again under its number, as often as it takes."""
    monkeypatch.setattr(sending, "_AGAIN", 0.0)
    bus.errors = [NoAnswer("nobody")] * 3
    out = sender(bus)
    await out.say(unit(1))
    await out.say(unit(2))
    assert [post.seq for post in bus.posts] == [1, 1, 1, 1, 2]
    assert len({post.epoch for post in bus.posts}) == 1
    await out.aclose()


@pytest.mark.parametrize("error", [Unreachable("gone"), NotPermitted("not yours any more")])
async def test_a_number_is_never_used_for_two_posts(bus: Recording, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failure a new epoch begins: a try before it, without an answer, may have been stored."""
    monkeypatch.setattr(sending, "_AGAIN", 0.0)
    out = sender(bus)
    await out.say(unit(1))
    mark = out.mark
    bus.errors = [NoAnswer("no ack"), error]
    with pytest.raises(type(error)):
        await out.say(unit(2))
    assert out.mark == mark
    await out.say(unit(3))
    assert [post.seq for post in bus.posts] == [1, 2, 2, 1]
    assert len({post.epoch for post in bus.posts}) == 2
    await out.aclose()


async def test_a_cancelled_caller_has_said_it(bus: Recording) -> None:
    """Cancelling who waits does not take back what was said, and harms nobody else."""
    out = sender(bus)
    bus.open.clear()
    first, second = asyncio.create_task(out.say(unit(1))), asyncio.create_task(out.say(unit(2)))
    await asyncio.sleep(0)
    first.cancel()
    bus.open.set()
    await second
    assert first.cancelled()
    assert [observation for post in bus.posts for said in post.units for observation in said] == [Confirm("1"), Confirm("2")]
    await out.aclose()


async def test_closing_sends_the_rest(bus: Recording) -> None:
    """Closing waits for what was said; afterwards nothing more can be."""
    out = sender(bus)
    said = asyncio.create_task(out.say(unit(1)))
    await asyncio.sleep(0)
    await out.aclose()
    await said
    with pytest.raises(BoardClosed, match="open it again"):
        await out.say(unit(2))
    await out.aclose()


async def test_closing_gives_up_in_time(bus: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that takes nothing does not hold up closing; who still waits is told."""
    monkeypatch.setattr(sending, "FLUSH", 0.01)
    bus.open.clear()
    out = sender(bus)
    said = asyncio.create_task(out.say(unit(1)))
    await asyncio.sleep(0)
    await out.aclose()
    with pytest.raises(BoardClosed, match="may or may not"):
        await said
