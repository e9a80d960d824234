"""agents.crew and agents.member: agents that run together."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio
import pytest

from agents import Agent, Crew, every, member, on_change, on_signal
from agents.member import Member
from blackboard.client import Board
from blackboard.errors import BadValue, NotInView, NotWritable
from blackboard.testing import RunningBoard, running_board
from bus.errors import NoAnswer
from bus.messages import Change, Signal
from bus.telemetry import Place

Opener = Callable[[str], AbstractAsyncContextManager[Board]]


def opener(running: RunningBoard) -> Opener:
    """Opens the board under test for whichever agent asks."""

    @asynccontextmanager
    async def opened(agent: str) -> AsyncIterator[Board]:
        async with Board(running.bus, running.service.name, agent) as board:
            yield board

    return opened


class Listener(Agent):
    """Keeps what it hears."""

    def __init__(self, name: str = "listener") -> None:
        super().__init__(name)
        self.heard: list[str] = []

    @on_change()
    async def moved(self, change: Change) -> None:
        self.heard.append(f"{change.by} {change.cause} {change.key}")


class Speaker(Agent):
    """Says something as soon as it starts."""

    async def start(self) -> None:
        await self.board.deposit("It rains", key="weather", scope="shared")


async def test_nobody_misses_the_first_word() -> None:
    """What an agent says in its start() is heard by agents that start after it, and the crew ends when all have dealt with it."""
    listener = Listener()
    async with running_board() as running:
        report = await Crew([Speaker(), listener], opener(running)).run()
    assert listener.heard == ["speaker deposit weather"]
    assert not report.failures


async def test_a_conversation_settles() -> None:
    """The crew is idle only when a chain of reactions has come to its end."""

    class Player(Agent):
        def __init__(self, name: str, other: str) -> None:
            super().__init__(name)
            self.other = other

        @on_change(cause="deposit")
        async def answer(self, change: Change) -> None:
            item = await self.board.get(change.item)
            if change.by == self.other and item.value < 20:
                await self.board.deposit(f"Ball {item.value + 1}", kind="trace", key="ball", value=item.value + 1, scope="shared")

    class Server(Player):
        async def start(self) -> None:
            await self.board.deposit("Ball 1", kind="trace", key="ball", value=1, scope="shared")

    async with running_board("referee") as running:
        await Crew([Server("ping", "pong"), Player("pong", "ping")], opener(running)).run()
        assert max(item.value for item in await running["referee"].history("ball")) == 20


async def test_rounds() -> None:
    """A crew ends each round once, when all are idle, and wakes agents for the rounds they wait for."""
    played: list[tuple[str, int]] = []

    class Worker(Agent):
        @every(rounds=1)
        async def each(self, number: int) -> None:
            await self.board.deposit(f"Note {number}")
            played.append((self.name, number))

        @every(rounds=2)
        async def other(self, number: int) -> None:
            played.append((f"{self.name}, every two", number))

    async with running_board("observer") as running:
        await Crew([Worker("a"), Worker("b")], opener(running), rounds=3).run()
        assert (await running["observer"].stats()).now == 3
        await Crew([Worker("c")], opener(running), rounds=1).run()
    assert sorted(played[:6]) == sorted([("a", 0), ("a, every two", 0), ("b", 0), ("b, every two", 0), ("a", 1), ("b", 1)])
    assert played[-1] == ("c", 3)


async def test_one_at_a_time_and_in_order() -> None:
    """Handlers of one agent never overlap, whatever wakes them, and events come in the order of the log."""
    running_now = 0
    heard: list[float] = []

    class Slow(Agent):
        async def alone(self) -> None:
            nonlocal running_now
            running_now += 1
            assert running_now == 1
            for _ in range(5):
                await anyio.lowlevel.checkpoint()
            running_now -= 1

        @on_change(key="count")
        async def moved(self, change: Change) -> None:
            await self.alone()
            heard.append(change.new)

        @on_change(key="count")
        async def moved_too(self, _change: Change) -> None:
            await self.alone()

        @every(rounds=1)
        async def round(self, _number: int) -> None:
            await self.alone()

    class Counter(Agent):
        @every(rounds=1)
        async def count(self, _number: int) -> None:
            item = await self.board.deposit("One more", key="count", scope="shared")
            for _ in range(10):
                await self.board.reinforce(item, 1.0)

    async with running_board() as running:
        report = await Crew([Slow(), Counter()], opener(running), rounds=2).run()
    assert not report.failures
    assert len(heard) == 22
    assert heard == sorted(heard)


async def test_a_failing_agent_resumes(caplog: pytest.LogCaptureFixture) -> None:
    """An agent that raises is reported with its traceback and started again where it failed; the crew goes on, and nothing is missed.

    The handler that had returned is not called again for what the other failed on.
    """
    life: list[str] = []

    class Fragile(Listener):
        async def start(self) -> None:
            life.append("start")

        async def stop(self) -> None:
            life.append("stop")

        @on_change(cause="reinforce")
        async def trip(self, _change: Change) -> None:
            if life.count("start") < 3:
                raise ZeroDivisionError("it trips")

    class Persistent(Speaker):
        async def start(self) -> None:
            await super().start()
            [item] = await self.board.history("weather")
            await self.board.reinforce(item, 0.5)
            await self.board.confirm(item)

    fragile, steady = Fragile("fragile"), Listener("steady")
    async with running_board() as running:
        with caplog.at_level(logging.ERROR):
            report = await Crew([fragile, steady, Persistent("speaker")], opener(running), pause=0.001).run()
    everything = ["speaker deposit weather", "speaker reinforce weather", "speaker confirm weather"]
    assert steady.heard == everything
    assert fragile.heard == everything
    assert life == ["start", "stop", "start", "stop", "start", "stop"]
    assert [(failure.agent, failure.doing) for failure in report.failures] == [("fragile", "trip")] * 2
    assert "ZeroDivisionError: it trips" in report.failures[0].traceback
    assert report.given_up == ()
    assert "ZeroDivisionError: it trips" in caplog.text


async def test_what_has_returned_is_not_called_again(caplog: pytest.LogCaptureFixture) -> None:
    """An agent that fails in the midst of a unit goes on with the event that it failed on, also where something private comes between."""
    heard: list[str] = []
    fallen: set[str] = set()

    class Fragile(Agent):
        @on_change(cause="deposit")
        async def moved(self, change: Change) -> None:
            content = (await self.board.get(change.item)).content
            if content in {"two", "three"} and content not in fallen:
                fallen.add(content)
                await self.board.deposit(f"It fell at {content}")
                raise ZeroDivisionError(content)
            heard.append(content)

    class Lecturer(Agent):
        async def start(self) -> None:
            for numbers in (("one", "two", "three", "four"), ("five",)):
                async with self.board.batch() as batch:
                    for number in numbers:
                        await batch.deposit(number, scope="shared")

    async with running_board() as running:
        with caplog.at_level(logging.ERROR):
            report = await Crew([Fragile(), Lecturer()], opener(running), pause=0.001).run()
    assert [each for each in heard if " " not in each] == ["one", "two", "three", "four", "five"]
    assert sorted(each for each in heard if " " in each) == ["It fell at three", "It fell at two"]
    assert len(report.failures) == 2


class Scripted:
    """A feed that gives out what is written down: the audience, the number of the entry, and the event."""

    def __init__(self, *script: tuple[str, int, str], position: str) -> None:
        self.script = list(script)
        self.position = position
        self.entry = ("", 0)
        self.place, self.trace = Place("memory", "board"), ""

    async def take(self) -> Change:
        if not self.script:
            await anyio.sleep_forever()
        audience, n, item = self.script.pop(0)
        self.entry = audience, n
        return Change(item=item, kind="fact", cause="deposit", old=0.0, new=1.0)

    async def aclose(self) -> None: ...


async def test_what_has_returned_is_remembered_of_each_audience(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """When an agent goes on, what is private may come before the shared entry that it failed on, or behind it."""
    heard: list[str] = []
    done = anyio.Event()

    class Fragile(Agent):
        @on_change()
        async def moved(self, change: Change) -> None:
            if change.item == "b" and "p" not in heard:
                raise ZeroDivisionError
            heard.append(change.item)
            if change.item == "c":
                done.set()

    shared = (("shared", 1, "a"), ("shared", 1, "b"), ("shared", 2, "c"))
    again = Scripted(("private", 1, "p"), *shared, position="0")
    async with running_board("fragile") as running:
        member = Member(Fragile(board=running["fragile"]), give_up=2, pause=0.001)
        async with member.listening():
            await member._feed.aclose()
            monkeypatch.setattr(member, "_feed", Scripted(*shared, position="0"))
            monkeypatch.setattr(running["fragile"], "feed", lambda **_: again)
            with caplog.at_level(logging.ERROR):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(member.live)
                    with anyio.fail_after(10):
                        await done.wait()
                    tasks.cancel_scope.cancel()
    assert heard == ["a", "p", "b", "c"]


async def test_giving_up(caplog: pytest.LogCaptureFixture) -> None:
    """An agent that only ever fails is given up after so many failures in a row, and holds up nobody."""

    class Broken(Agent):
        async def run(self) -> None:
            raise RuntimeError("no key")

    listener = Listener()
    async with running_board() as running:
        with caplog.at_level(logging.ERROR):
            report = await Crew([Broken(), Speaker(), listener], opener(running), rounds=2, give_up=3, pause=0.001).run()
    assert report.given_up == ("broken",)
    assert [failure.doing for failure in report.failures] == ["run"] * 3
    assert listener.heard
    assert "given up" in caplog.text


async def test_who_gets_something_done_in_between_is_not_given_up(caplog: pytest.LogCaptureFixture) -> None:
    """However often it fails: the failures in a row count."""
    fallen, done = set[str | None](), list[str | None]()

    class Talker(Agent):
        async def start(self) -> None:
            for key in ("a", "b", "c"):
                await self.board.deposit(f"It is {key}", key=key, scope="shared")

    class Stumbling(Agent):
        @on_change()
        async def moved(self, change: Change) -> None:
            if change.key not in fallen:
                fallen.add(change.key)
                raise OSError("once")
            done.append(change.key)

    async with running_board() as running:
        with caplog.at_level(logging.ERROR):
            report = await Crew([Stumbling(), Talker()], opener(running), give_up=2, pause=0.001).run()
    assert (report.given_up, len(report.failures), done) == ((), 3, ["a", "b", "c"])


async def test_pauses_between_tries_double_up_to_the_longest(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """So an agent that fails for hours is tried as often at their end."""
    pauses: list[float] = []
    sleep = anyio.sleep

    async def noted(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(0)

    class Broken(Agent):
        async def run(self) -> None:
            raise RuntimeError("no key")

    monkeypatch.setattr(member, "LONGEST_PAUSE", 5.0)
    async with running_board() as running:
        monkeypatch.setattr(anyio, "sleep", noted)
        with caplog.at_level(logging.ERROR):
            await Crew([Broken()], opener(running), give_up=6, pause=1.0).run()
        monkeypatch.undo()
    assert pauses == [1.0, 2.0, 4.0, 5.0, 5.0]


async def test_a_round_that_fails_is_played_again(caplog: pytest.LogCaptureFixture) -> None:
    """An agent that raises in its round gets that round again before the round ends."""
    played: list[int] = []

    class Clumsy(Agent):
        @every(rounds=1)
        async def play(self, number: int) -> None:
            played.append(number)
            if played == [0]:
                raise OSError("once")

    async with running_board() as running:
        with caplog.at_level(logging.ERROR):
            await Crew([Clumsy()], opener(running), rounds=2, pause=0.001).run()
    assert played == [0, 0, 1]


async def test_refusals_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    """What the board refuses after it was sent stands in the crew's report, since no call of the agent's own raises it."""

    class Wrong(Agent):
        async def start(self) -> None:
            await self.board.confirm("0" * 32)
            await self.board.confirm("1" * 32)

    async with running_board() as running:
        with caplog.at_level(logging.ERROR):
            report = await Crew([Wrong()], opener(running)).run()
    assert [(failure.doing, type(failure.error)) for failure in report.failures] == [("saying", NotInView)] * 2
    assert report.given_up == ()


async def test_what_cannot_be_sent_fails_the_agent(caplog: pytest.LogCaptureFixture) -> None:
    """A value that no board takes raises where it is said."""

    class Wrong(Agent):
        async def start(self) -> None:
            await self.board.reinforce("0" * 32, float("nan"))

    async with running_board() as running:
        with caplog.at_level(logging.ERROR):
            report = await Crew([Wrong()], opener(running), give_up=1).run()
    assert [type(failure.error) for failure in report.failures] == [BadValue]


async def test_own_rises() -> None:
    """An agent is not told of a rise that it alone caused, unless it asks."""
    told: list[str] = []

    class Riser(Agent):
        async def start(self) -> None:
            item = await self.board.deposit("The price moved", key="price", scope="shared")
            await self.board.reinforce(item, 1.0)

        @on_signal("rising")
        async def other(self, _signal: Signal) -> None:
            told.append("not of its own")

        @on_signal("rising", own=True)
        async def mine(self, signal: Signal) -> None:
            told.append(signal.reason)

    async with running_board() as running:
        await Crew([Riser()], opener(running)).run()
    assert told == ["jump"]


async def test_cancelling() -> None:
    """A crew that is cancelled stops every agent and closes what it opened."""
    ended: list[str] = []
    ready = anyio.Event()

    class Sleeper(Agent):
        async def run(self) -> None:
            ready.set()
            await anyio.sleep_forever()

        async def stop(self) -> None:
            await self.board.deposit("Good night", scope="shared")
            ended.append(self.name)

    sleeper = Sleeper()
    async with running_board("observer") as running:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Crew([sleeper, Speaker()], opener(running)).run)
            await ready.wait()
            tasks.cancel_scope.cancel()
        assert ended == ["sleeper"]
        assert [item.content for item in await running["observer"].search("night")] == ["Good night"]
    with pytest.raises(RuntimeError, match="has no board yet"):
        _ = sleeper.board


async def test_forever() -> None:
    """A crew that runs forever goes on when all are idle."""
    started, heard, ended = anyio.Event(), anyio.Event(), anyio.Event()

    class Waiting(Agent):
        async def start(self) -> None:
            started.set()

        @on_change()
        async def moved(self, _change: Change) -> None:
            heard.set()

    async with running_board("other") as running, anyio.create_task_group() as tasks:
        crew = Crew([Waiting()], opener(running))

        async def run() -> None:
            await crew.run(forever=True)
            ended.set()

        tasks.start_soon(run)
        await started.wait()
        with anyio.move_on_after(0.3) as waited:  # a crew that does not go on ends in a few hundredths of a second
            await ended.wait()
        assert waited.cancelled_caught
        await running["other"].deposit("News", scope="shared")
        with anyio.fail_after(5):
            await heard.wait()
        tasks.cancel_scope.cancel()


async def test_beats() -> None:
    """every(seconds=) wakes an agent again and again, by the number of the call."""
    beats: list[int] = []
    enough = anyio.Event()

    class Clock(Agent):
        @every(seconds=0.001)
        async def beat(self, number: int) -> None:
            beats.append(number)
            if len(beats) == 3:
                enough.set()

        async def run(self) -> None:
            await enough.wait()

    async with running_board() as running:
        await Crew([Clock()], opener(running)).run()
    assert beats[:3] == [0, 1, 2]


class Witness(Agent):
    heard = 0

    @on_change()
    async def moved(self, _change: Change) -> None:
        self.heard += 1


async def test_an_agent_with_a_board_of_its_own() -> None:
    """An agent that brings its client keeps it, open."""
    async with running_board("witness") as running:
        brought = running["witness"]
        listener = Witness(board=brought)
        await Crew([listener, Speaker()], opener(running)).run()
        assert listener.heard
        assert listener.board is brought
        assert await brought.top()


def test_wrong_crews() -> None:
    """A crew that could not work is refused, with the cure."""
    with pytest.raises(ValueError, match="at least one agent"):
        Crew([])
    with pytest.raises(ValueError, match="different names, not listener, listener"):
        Crew([Listener(), Listener()])


async def test_rounds_that_nobody_plays() -> None:
    """An agent that waits for rounds in a crew without any is refused by name."""

    class Waiting(Agent):
        @every(rounds=1)
        async def play(self, number: int) -> None: ...

    with pytest.raises(ValueError, match=r"waiting waits for rounds.*give Crew\(rounds=…\)"):
        await Crew([Waiting()], ":memory:").run()


async def test_an_error_of_whoever_sets_the_pace() -> None:
    """An error in the body of working() comes out as it was raised."""
    async with running_board() as running:
        crew = Crew([Speaker()], opener(running))
        with pytest.raises(KeyError):
            async with crew.working():
                raise KeyError


async def test_a_board_out_of_reach_is_nobodys_fault(caplog: pytest.LogCaptureFixture) -> None:
    """An agent that fails because nobody answers is started again without limit."""
    tries: list[int] = []

    class Asking(Agent):
        async def run(self) -> None:
            tries.append(len(tries))
            if len(tries) < 5:
                raise NoAnswer("nobody serves the board")

    async with running_board() as running:
        with caplog.at_level(logging.ERROR):
            report = await Crew([Asking()], opener(running), give_up=2, pause=0.001).run()
    assert len(tries) == 5
    assert report.given_up == ()


async def test_embedded(tmp_path: Path) -> None:
    """A name or a path is a board in this process, which the crew's agents share, and which is kept."""
    path = str(tmp_path / "kept.db")
    for cause in ("deposit", "confirm"):
        listener = Listener()
        report = await Crew([listener, Speaker()], path).run()
        assert report.failures == ()
        assert listener.heard == [f"speaker {cause} weather"]


async def test_again() -> None:
    """A crew may be run again; it begins anew."""
    runs: list[str] = []

    class Runner(Agent):
        async def run(self) -> None:
            runs.append("run")

    async with running_board() as running:
        crew = Crew([Runner()], opener(running))
        await crew.run()
        await crew.run()
    assert runs == ["run", "run"]


async def test_no_board(tmp_path: Path) -> None:
    """A board that cannot be opened is told as it is, before anything runs."""
    (tmp_path / "file").touch()
    with pytest.raises(NotWritable, match=r"file/board\.db cannot be written"):
        await Crew([Listener()], str(tmp_path / "file" / "board")).run()


async def test_rounds_on_a_wall_clock_board() -> None:
    """A board on wall-clock time has no rounds to end: the crew says so."""
    async with running_board(time="wall") as running:
        with pytest.raises(ValueError, match="wall-clock"):
            await Crew([Listener()], opener(running), rounds=2).run()


async def test_a_board_in_memory_for_each() -> None:
    """A crew whose agents could not hear each other is refused."""
    with pytest.raises(ValueError, match="board ':memory:' would be another one for every agent: name a file, or give"):
        await Crew([Agent("a"), Agent("b")], ":memory:").run()
