"""An agent that looks after how the others go about their tasks, and stays: put it into a crew.

    async with apart("retries.py") as retry:
        await Crew([Analyst(), Evolver(retry, after=20)], board="sales").run(forever=True)

It begins a cycle after so many new failures, every so many seconds, or when somebody asks for one under the key *evolve*; it decides about
canaries as tasks end; and it says what makes the board raise a signal when success falls or failures cluster (``alarms``).
"""

import logging
from collections.abc import Awaitable, Callable

import anyio

from agents.agent import Agent
from agents.chat import Budget
from agents.errors import Busy
from agents.evolution.account import Account
from agents.evolution.alarms import FAILURES, SUCCESS, cluster, rate
from agents.evolution.analyst import Analyst, Retry
from agents.evolution.claims import cycles
from agents.evolution.cycle import evolve
from agents.evolution.entries import Settings
from agents.evolution.logbook import Logbook
from agents.evolution.release import Decision, Test
from agents.evolution.watching import watch
from agents.handlers import every, on_change
from agents.memory.journal import Journal
from agents.memory.records import Outcome
from blackboard.kinds import CYCLE, TASK
from bus.messages import Change

ASKED = "evolve"
"""The key under which a cycle is asked for."""
OFTEN = 5
"""So many times between two looks at a canary it is asked whether it is time."""

_logger = logging.getLogger(__name__)


class Evolver(Agent):
    """See above. ``after``: new failures; ``pause``: seconds; None: not so. ``window``: tasks whose success is held against that before.

    ``rest`` is as ``evolve`` takes it. ``told`` is called with what each cycle came to.
    """

    def __init__(
        self,
        retry: Retry,
        *,
        analyst: Analyst | None = None,
        settings: Settings | None = None,
        budget: Budget | None = None,
        after: int | None = 20,
        pause: float | None = None,
        test: Test | None = None,
        window: int = 30,
        rest: float = 200.0,
        told: Callable[[Account], Awaitable[None]] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self._retry, self._analyst, self._settings, self._budget = retry, analyst, settings, budget
        self._after, self._pause, self._test, self._window, self._told = after, pause, test or Test(), window, told
        self._rest = rest
        self._outcomes: dict[str, Outcome] = {}
        self._failures: set[str] = set()
        """Those since the last cycle, or before this agent came, that nothing was learned from."""
        self._floor: float | None = None
        self._next = 0.0

    async def start(self) -> None:
        """See what has happened so far."""
        records = sorted(await Journal(self.board).tasks(), key=lambda record: (record.ended, record.id))
        self._outcomes = {record.id: record.outcome for record in records}
        await self._count()
        self._next = anyio.current_time() + (self._pause or 0.0)

    @on_change(kind=TASK)
    async def ended(self, change: Change) -> None:
        """A task may have ended."""
        if change.target is None or change.target in self._outcomes:
            return
        record = await Journal(self.board).record(change.target)
        if record is None:
            return
        if record.outcome == "failure":
            await self.board.deposit(cluster(record), kind=CYCLE, key=FAILURES, target=record.fingerprint, scope="shared")
            self._failures.add(record.id)
        self._outcomes[record.id] = record.outcome
        if len(self._outcomes) % max(1, self._window // 3) == 0:
            await self._say_rate()
        if len(self._outcomes) % max(1, self._test.tasks // self._test.looks // OFTEN) == 0:
            await self.look()
        if self._after is not None and len(self._failures) >= self._after:
            await self.evolve()

    @on_change(key=ASKED)
    async def asked(self, change: Change) -> None:
        """Somebody wants a cycle."""
        if change.cause in {"deposit", "confirm"}:
            await self.evolve()

    @every(seconds=1.0)
    async def beat(self, _: int) -> None:
        """Time has passed."""
        if self._pause is not None and anyio.current_time() >= self._next:
            await self.evolve()

    async def evolve(self) -> Account | None:
        """Go through a cycle now; None if another is under way."""
        try:
            done = await evolve(
                self.board, self._retry, analyst=self._analyst, settings=self._settings, budget=self._budget, rest=self._rest
            )
        except Busy as error:
            _logger.info("%s", error)
            return None
        finally:
            self._next = anyio.current_time() + (self._pause or 0.0)
            await self._count()
        if done.trouble:
            _logger.warning("cycle %s: %s", done.cycle, done.trouble)
        self._failures.clear()  # wait for as many again, also where it learned from few or none, rather than begin at each task
        if self._told:
            await self._told(done)
        return done

    async def look(self) -> list[Decision]:
        """See whether a canary is to be promoted or rolled back."""
        return await watch(self.board, self._test)

    async def _count(self) -> None:
        """Which failures are new: no cycle has gone through since they were recorded."""
        seen = {task for each in cycles(await Logbook(self.board).claims()) if each.ended for task in each.ended.learned}
        self._failures = {task for task, outcome in self._outcomes.items() if outcome == "failure"} - seen

    async def _say_rate(self) -> None:
        found = rate(list(self._outcomes.values()), self._window)
        if found is None:
            return
        if found.floor is not None and found.floor != self._floor:
            self._floor = found.floor
            await self.board.constrain(SUCCESS, ">=", found.floor, hard=False, content=f"success rate of tasks: at least {found.floor:.3f}")
        await self.board.deposit(str(found), kind=CYCLE, key=SUCCESS, value=round(found.value, 3), scope="shared")
