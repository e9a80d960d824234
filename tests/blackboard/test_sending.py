"""Units reach the log in order, each once, packed."""

import asyncio

import pytest

from blackboard import limits, sending
from blackboard.errors import BoardClosed, NotWritable, StoreError, TooBig
from blackboard.line import Line
from blackboard.pending import MemoryPending, Parcel, Pending, Room
from blackboard.sending import Sender
from bus.errors import NoAnswer, NotPermitted, TooLarge, Unreachable
from bus.memory import MemoryBus
from bus.messages import Answer, Ask, Confirm, Failed, Limited, Limits, Post, Unit, UpTo, decode_ask, decode_post, encode


class Recording(MemoryBus):
    """A bus that keeps what is published, and fails as told."""

    def __init__(self) -> None:
        super().__init__(lambda: 0.0)
        self.posts: list[Post] = []
        self.errors: list[Exception] = []
        self.published = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()
        self.asked: list[Ask] = []
        self.limits: Limited | Failed = Limited(None, 1.0, None)
        self.number = 0
        """What it says that the board has applied of an epoch."""

    async def publish(self, _board: str, _agent: str, data: bytes, *, trace: str = "") -> int:  # noqa: ARG002
        self.posts.append(decode_post(data))
        self.published.set()
        await self.open.wait()
        if self.errors:
            raise self.errors.pop(0)
        return len(self.posts)

    async def ask(self, _board: str, _agent: str, data: bytes, *, timeout: float = 5.0) -> bytes:  # noqa: ARG002, ASYNC109
        ask = decode_ask(data)
        if isinstance(ask.query, Limits):
            return encode(Answer(self.limits))
        self.asked.append(ask)
        return encode(Answer(UpTo(number=self.number)))


def unit(number: int) -> Unit:
    return (Confirm(f"{number}"),)


@pytest.fixture
def bus() -> Recording:
    return Recording()


def sender(bus: Recording, pending: Pending | None = None) -> Sender:
    return Sender(Line(bus, "board", "finance"), pending)


class Safe(MemoryPending):
    """An outbox as good as a file, which fails as told."""

    durable = True

    def __init__(self, *errors: StoreError, reopened: bool = False) -> None:
        super().__init__()
        self.errors = list(errors)
        self.reopened = reopened

    async def next(self, room: Room, *, acknowledged: int) -> Parcel | None:
        if self.errors:
            raise self.errors.pop(0)
        return await super().next(room, acknowledged=acknowledged)


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


async def test_what_is_said_aside_is_not_awaited(bus: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless something else went along with it, or its epoch is another than what is awaited so far."""
    monkeypatch.setattr(sending, "AT_ONCE", 2)
    out = sender(bus)
    before = out.mark
    await out.say(unit(-1), aside=True)
    assert (out.mark[1], out.awaited) == (1, before)
    await out.say(unit(0))
    await out.say(unit(1), aside=True)
    assert (out.mark[1], out.awaited[1]) == (3, 2)
    bus.open.clear()
    async with asyncio.TaskGroup() as tasks:
        for number in range(2, 6):
            tasks.create_task(out.say(unit(number), aside=number != 4))
        await asyncio.sleep(0)
        bus.open.set()
    assert bus.posts[-1].units == (unit(4), unit(5))
    assert out.awaited == out.mark
    bus.errors.append(TooLarge("no"))
    with pytest.raises(TooLarge):
        await out.say(unit(6))
    await out.say(unit(7), aside=True)
    assert out.awaited == out.mark == (bus.posts[-1].epoch, 1)
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


async def test_a_server_that_takes_less(bus: Recording) -> None:
    """A post that is too large for the transport is made smaller; a unit that is, fails alone."""
    out = sender(bus)
    bus.errors = [TooLarge("at most so much"), TooLarge("at most so much")]
    bus.open.clear()
    said = [asyncio.create_task(out.say(unit(number))) for number in range(4)]
    await bus.published.wait()
    bus.open.set()
    results = await asyncio.gather(*said, return_exceptions=True)
    assert [len(post.units) for post in bus.posts] == [4, 2, 1, 1, 1, 1]
    assert results == [None, None, None, None]
    bus.errors = [TooLarge("at most so much")]
    with pytest.raises(TooLarge):
        await out.say(unit(5))
    await out.say(unit(6))
    await out.aclose()


async def test_no_faster_than_the_board_lets_it(bus: Recording, caplog: pytest.LogCaptureFixture) -> None:
    """Half of the burst goes at once, then no more than the rate: what the board counts stays within its limits. It is logged once."""
    bus.limits = Limited(200.0, 40.0, 0.0)
    out = sender(bus)
    loop = asyncio.get_running_loop()
    began, stamps = loop.time(), list[float]()
    for number in range(60):
        await out.say(unit(number))
        stamps.append(loop.time() - began)
    assert stamps[20] < stamps[59] / 2
    assert stamps[59] >= (60 - 20 - 2) / 200.0
    assert [record.message for record in caplog.records] == [
        "finance is held back to 200 observations a second, which board board lets it say"
    ]
    await out.aclose()


async def test_what_was_said_before_counts(bus: Recording) -> None:
    """A sender that begins anew goes on from what its agent owes."""
    bus.limits = Limited(100.0, 20.0, 15.0)
    out = sender(bus)
    began = asyncio.get_running_loop().time()
    await out.say(unit(1))
    assert asyncio.get_running_loop().time() - began >= 0.05
    await out.aclose()


async def test_limits_are_looked_up_again(bus: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an operator has changed holds for those who are under way."""
    monkeypatch.setattr(sending, "LEARN_AGAIN", 0.0)
    bus.limits = Limited(1.0, 2.0, 0.0)
    out = sender(bus)
    await out.say(unit(1))
    bus.limits = Limited(None, 2.0, 0.0)
    async with asyncio.timeout(5):
        for number in range(20):
            await out.say(unit(number))
    await out.aclose()


async def test_who_is_held_back_learns_that_it_may_go_on(bus: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it would have to wait by what it knows."""
    for pause in ("LEARN_AGAIN", "LOOK_AGAIN"):
        monkeypatch.setattr(sending, pause, 0.02)
    bus.limits = Limited(1e-6, 2.0, 0.0)
    out = sender(bus)
    async with asyncio.timeout(5):
        await out.say(unit(1))
        await out.say(unit(2))
        held_back = asyncio.create_task(out.say(unit(3)))
        while not out._told:  # noqa: ASYNC110 - that somebody is held back is told to people alone
            await asyncio.sleep(0.01)
        bus.limits = Limited(None, 2.0, 0.0)
        await held_back
    await out.aclose()


async def test_a_board_that_says_nothing_of_limits(bus: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is spoken to as to a new one: it may be away, and count later what it was sent meanwhile."""
    monkeypatch.setattr(sending, "UNKNOWN", limits.Limits(100.0, 20.0))
    bus.limits = Failed("NoAnswer", "it is away")
    monkeypatch.setattr(sending, "PATIENCE", 0.0)
    out = sender(bus)
    began = asyncio.get_running_loop().time()
    for number in range(20):
        await out.say(unit(number))
    assert asyncio.get_running_loop().time() - began >= (20 - 10 - 2) / 100.0
    await out.aclose()


async def test_posts_hold_few_observations(bus: Recording) -> None:
    """So that others need not wait long; a unit that has more goes by itself, and one that has too many is refused."""
    out = sender(bus)
    bus.open.clear()
    async with asyncio.TaskGroup() as tasks:
        for number in range(200):
            tasks.create_task(out.say(unit(number)))
        tasks.create_task(out.say((Confirm("x"),) * 1000))
        await bus.published.wait()
        bus.open.set()
    assert [sum(map(len, post.units)) for post in bus.posts] == [128, 72, 1000]
    with pytest.raises(TooBig, match="9,000 observations: at most 8,192"):
        await out.say((Confirm("x"),) * 9000)
    await out.aclose()


# ---- from an outbox ---------------------------------------------------------------------------------------------------------------------


async def test_what_is_safe_is_accepted(bus: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb returns before the log has it, a question waits for that, and closing leaves it where it is."""
    monkeypatch.setattr(sending, "FLUSH", 0.01)
    pending = Safe()
    out = sender(bus, pending)
    bus.open.clear()
    await out.say(unit(1))
    await bus.published.wait()
    await out.say(unit(2))
    with pytest.raises(NoAnswer, match="2 units wait in outbox memory"):
        await out.sent(patience=0.01)
    await out.aclose()
    assert pending.number == 1
    bus.open.set()
    out = sender(bus, pending)
    assert await out.sent() == (pending.epoch, 2)
    assert [(post.seq, post.units) for post in bus.posts] == [(1, (unit(1),)), (1, (unit(1),)), (2, (unit(2),))]
    await out.aclose()


async def test_an_outbox_that_cannot_be_written_for_a_while(bus: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was accepted waits until it can."""
    monkeypatch.setattr(sending, "_AGAIN", 0.0)
    out = sender(bus, Safe(*(NotWritable("a.outbox", "the disk is full", "make room") for _ in range(2))))
    await out.say(unit(1))
    await out.sent()
    assert [post.units for post in bus.posts] == [(unit(1),)]
    await out.aclose()


async def test_what_is_refused_for_good_stays_in_the_outbox(bus: Recording) -> None:
    """Every verb says so from then on, and nothing is dropped."""
    pending = Safe()
    out = sender(bus, pending)
    bus.errors = [NotPermitted("not yours any more")]
    await out.say(unit(1))
    for _ in range(2):
        with pytest.raises(NotPermitted):
            await out.sent()
        with pytest.raises(NotPermitted):
            await out.say(unit(2))
    await out.aclose()
    assert await pending.next(Room(100, 100), acknowledged=0) is not None


async def test_taking_up_keeps_within_the_limits(bus: Recording) -> None:
    """What is sent to ask about an epoch is said no faster than anything else."""
    bus.limits = Limited(100.0, 20.0, 15.0)
    pending = Safe(reopened=True)
    out = sender(bus, pending)
    began = asyncio.get_running_loop().time()
    await out.taken_up()
    assert len(bus.posts) == 1
    assert asyncio.get_running_loop().time() - began >= 0.05
    await out.aclose()


@pytest.mark.parametrize("forgotten", [True, False])
async def test_what_is_awaited_of_an_epoch_that_is_taken_up(bus: Recording, *, forgotten: bool) -> None:
    """What was said last; and nothing of one that the board has forgotten: a question would wait for it without an end."""
    pending = Safe(reopened=True)
    pending.number, pending.acknowledged = 5, 5
    bus.number = 0 if forgotten else 5
    out = sender(bus, pending)
    await out.taken_up()
    assert out.awaited == out.mark == (pending.epoch, 0 if forgotten else 5)
    await out.aclose()


@pytest.mark.parametrize("forgotten", [True, False])
async def test_an_epoch_is_taken_up(bus: Recording, *, forgotten: bool) -> None:
    """Before anything is sent the board is asked about it, behind a post of another epoch; one that it has forgotten begins anew."""
    pending = Safe(reopened=True)
    epoch, pending.number, pending.acknowledged = pending.epoch, 5, 5
    bus.number = 0 if forgotten else 5
    out = sender(bus, pending)
    await out.say(unit(1))
    await out.taken_up()
    await out.sent()
    barrier, post = bus.posts
    [ask] = bus.asked
    assert (barrier.units, ask.epoch, ask.seq) == ((), barrier.epoch, 1)
    assert (post.epoch == epoch, post.seq) == ((False, 1) if forgotten else (True, 6))
    await out.aclose()
