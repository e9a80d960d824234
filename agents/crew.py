"""A crew: agents that run together on one board.

    report = await Crew([Procurement(), Finance()], board="procurement", rounds=14).run()

Laws:

- Every agent listens before any agent starts: nobody misses what another says first.
- What an agent raises is reported, and that agent is started again; the others go on.
- A round ends once, when every agent is idle: all that was said is applied, all that it caused is heard and dealt with. That is known by
  counting what the agents do, never by waiting a while.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import anyio
from msgspec import Struct

from agents.agent import Agent
from agents.handlers import waits_for_rounds
from agents.member import Failure, Member, patiently
from blackboard.client import Board
from blackboard.opening import MEMORY
from blackboard.opening import open as open_board
from bus import names

Opener = Callable[[str], AbstractAsyncContextManager[Board]]
"""An agent's name → its board."""


class Report(Struct, frozen=True):
    """How a crew's run went."""

    failures: tuple[Failure, ...] = ()
    """What the agents raised, and what the board refused of what they said."""
    given_up: tuple[str, ...] = ()
    """The agents that failed too often in a row."""


class Crew:
    """Runs ``agents`` on ``board``.

    ``board`` is what ``blackboard.open`` takes (a name or a path, or ``nats://HOST:PORT/BOARD``), or a function that opens the board for an
    agent's name. An agent that brings its own keeps it. ``credentials`` is the folder of the agents' key files, where the board is served
    to those who have one. With ``rounds`` the crew plays so many rounds. An agent that fails is started again after ``pause`` seconds, then
    after twice that, and so on, until it has failed ``give_up`` times in a row.
    """

    def __init__(
        self,
        agents: Iterable[Agent],
        board: str | Opener = "crew",
        *,
        credentials: str | Path | None = None,
        rounds: int | None = None,
        give_up: int = 5,
        pause: float = 0.1,
    ) -> None:
        self.board = board
        self.credentials = credentials
        self.rounds = rounds
        self._agents = tuple(agents)
        self._give_up = give_up
        self._pause = pause
        self._members: list[Member] = []
        names = [agent.name for agent in self._agents]
        if not names:
            raise ValueError("a crew needs at least one agent")
        if len(set(names)) < len(names):
            raise ValueError(f"the agents of a crew need different names, not {', '.join(names)}: name one, as in Finance('finance-2')")

    async def run(self, *, forever: bool = False) -> Report:
        """Play the rounds, wait until every agent's ``run`` has returned and nobody has anything left to do; with ``forever``, go on until
        cancelled. Raises what opening the board raises.
        """
        waiting = [agent.name for agent in self._agents if waits_for_rounds(agent)]
        if waiting and self.rounds is None:
            raise ValueError(f"{', '.join(waiting)} waits for rounds, and this crew plays none: give Crew(rounds=…)")
        async with self.working():
            await self.settled()
            for _ in range(self.rounds or 0):
                number = await self.round()
                await self.play(number)
                await self.end_round(number)
            for member in self._members:
                await member.finished.wait()
            await self.settled()
            if forever:
                await anyio.sleep_forever()
        return self.report

    @property
    def report(self) -> Report:
        """How the last run went, or how this one has gone so far."""
        return Report(
            tuple(failure for member in self._members for failure in member.failures),
            tuple(member.agent.name for member in self._members if member.given_up),
        )

    # ---- in steps, for those who set the pace themselves --------------------------------------------------------------------------------

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Every agent listens, starts and is kept alive while the context is open; then each is stopped, and what was opened is closed."""
        if self.board == MEMORY:
            raise ValueError(f"board {MEMORY!r} would be another one for every agent: name a file, or give a function that opens one")
        self._members = [Member(agent, give_up=self._give_up, pause=self._pause) for agent in self._agents]
        async with AsyncExitStack() as stack:
            for agent in self._agents:
                await stack.enter_async_context(agent.equipped(self._open(agent.name)))
            for member in self._members:
                await stack.enter_async_context(member.listening())
            try:
                async with anyio.create_task_group() as tasks:
                    for member in self._members:
                        tasks.start_soon(member.live)
                    yield
                    tasks.cancel_scope.cancel()
            except ExceptionGroup as group:  # agents raise nothing here: it is the one error of whoever sets the pace
                raise group.exceptions[0] from None

    async def round(self) -> int:
        """The round that the board is in."""
        stats = await patiently(self._first.stats)
        if stats.time == "wall":
            raise ValueError(f"board {stats.board!r} runs on wall-clock time and has no rounds: leave rounds= out; every(seconds=…) works")
        return int(stats.now)

    async def play(self, number: int) -> None:
        """Wake every agent that waits for round ``number``, and wait until all is settled."""
        for member in self._members:
            member.play(number)
        await self.settled()

    async def settled(self) -> int:
        """Wait until every agent is idle; the number of the shared events up to which, at least, all is heard and dealt with."""
        while True:
            steps = self._steps
            newest = (await patiently(self._first.newest))[names.SHARED]
            for member in self._members:
                await member.settle()
            if steps == self._steps:
                return newest

    async def end_round(self, number: int) -> None:
        """End round ``number``, unless somebody has ended it before."""
        await self._first.end_round(number)
        await patiently(self._first.stats)  # answered once the end of the round is applied

    @property
    def _first(self) -> Board:
        return self._agents[0].board

    @property
    def _steps(self) -> int:
        return sum(member.steps for member in self._members)

    def _open(self, agent: str) -> AbstractAsyncContextManager[Board]:
        return open_board(self.board, agent=agent, credentials=self.credentials) if isinstance(self.board, str) else self.board(agent)


def run_agent(agent: Agent | type[Agent], board: str, credentials: str | Path | None = None) -> None:
    """Run one agent in this process until it is interrupted (Ctrl-C): ``Process(target=run_agent, args=(Finance, address))``."""
    crew = Crew([agent() if isinstance(agent, type) else agent], board, credentials=credentials)
    with suppress(KeyboardInterrupt):
        anyio.run(partial(crew.run, forever=True))
