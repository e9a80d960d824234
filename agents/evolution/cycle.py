"""The evolution cycle: select → analyse → vary → evaluate → put before those who review (chapter 5, "The evolution cycle").

    account = await evolve(board, retry, settings=Settings(retries=500))

Laws:

- Each unit of work is written to the board before the next begins. A cycle that was killed, wherever, is gone on with by the next call;
  what was under way then is done again, and that alone.
- One cycle at a time on a board: ``Busy`` for whoever is second. One that was killed is taken over, at once if its process ran on this
  machine, else when nothing was heard of it for ``LEASE`` seconds.
- What is in force is not touched: a cycle only adds candidates, at its end, and a person decides (``Library.approve``).
- Nothing is begun that spends once the budget is spent.
"""

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import anyio
from msgspec.structs import replace

from agents.chat import Budget
from agents.errors import BudgetSpent, Busy, Lost
from agents.evolution import evaluation
from agents.evolution.account import Account, account, scores
from agents.evolution.analysis import RuleAnalyst
from agents.evolution.analyst import Analyst, Retry
from agents.evolution.changes import changes, identity, told
from agents.evolution.choosing import choose, most_alike, tried_on
from agents.evolution.claims import Cycle, cycles, under_way
from agents.evolution.entries import (
    Alive,
    Analysed,
    Began,
    Chosen,
    Ended,
    Judged,
    Proposed,
    Retried,
    Settings,
    Spent,
    Stopped,
    TakenUp,
    Varied,
    Work,
)  # fmt: skip
from agents.evolution.evaluation import TOLD, Tried
from agents.evolution.hold import forget, held, lives
from agents.evolution.library import Library
from agents.evolution.logbook import Logbook
from agents.evolution.state import Analyse, Choose, End, Evaluate, Propose, State, Vary, exceeded
from agents.evolution.strategies import Diagnosis, Strategy
from agents.evolution.variation import vary
from agents.memory.journal import Journal
from agents.memory.records import TaskLog
from agents.memory.tasks import summarised
from agents.memory.telling import shortened, told_error
from blackboard.client import Board
from blackboard.troubles import moment

LEASE = 60.0
"""Seconds without a sign of life after which a cycle is taken over."""
BEAT = 15.0
"""Seconds after which one gives a sign of life, if it has not finished anything meanwhile."""
TOGETHER = 1.0
"""Seconds: retries of so long are written down together, and so long a work, about, is done again after a kill."""
BESIDE = 20
"""Successes that the analyst is shown beside a failure."""

Watch = Callable[[State], None]
"""Is called whenever a cycle is further than it was."""


async def evolve(
    board: Board,
    retry: Retry,
    *,
    analyst: Analyst | None = None,
    settings: Settings | None = None,
    budget: Budget | None = None,
    rest: float = 0.0,
    watch: Watch | None = None,
    now: Callable[[], float] = time.time,
) -> Account:
    """Go through a cycle, or on with the one that was left half finished, with its own settings.

    ``rest``: so many times as long as it worked it lets others work, in this event loop and at the board. Beside agents that are not to
    notice let it be 200, and ``retry`` in a process ``apart``. ``budget`` is the one that the models of ``retry`` and ``analyst`` have, if
    they have any: what is spent of it is told, and it is lowered to what the settings leave. ``watch`` is called when it is further.

    Raises ``Busy``, ``Lost``, and what the board refuses; then the cycle is to be gone on with.
    """
    book = Logbook(board)
    with held() as hold:
        try:
            cycle = await _begun(book, hold, board.agent, settings or Settings(), now)
        except BaseException:
            forget(hold)
            raise
        work = _Work(board, book, cycle, retry, analyst or RuleAnalyst(), budget, rest, now)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(work.live)
                done = await work.through(watch)
                tasks.cancel_scope.cancel()
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        forget(hold)
        return done


async def accounts(board: Board) -> list[Account]:
    """What the cycles of a board did, oldest first."""
    book = Logbook(board)
    return [account(each, State.of(each.began.settings, await book.work(each.id))) for each in cycles(await book.claims())]


async def _begun(book: Logbook, hold: str, by: str, settings: Settings, now: Callable[[], float]) -> Cycle:
    """Have a cycle. Raises ``Busy``."""
    there = under_way(await book.claims())
    if there is None:
        await book.claim(Began(secrets.token_hex(4), hold, by, now(), settings))
    elif await _is_left(book, there):
        await book.claim(TakenUp(there.id, hold, there.hold, by, now()))
    has = under_way(await book.claims())
    if has and has.hold == hold:
        if there:
            forget(there.hold)
        return has
    who = f"{has.by} works on cycle {has.id}, since {moment(has.since)}" if has else "another was quicker, and is done already"
    raise Busy(f"one cycle at a time on a board: {who}; wait for its end, or end its process")


async def _is_left(book: Logbook, cycle: Cycle) -> bool:
    """Does nobody work on it any more? Where that cannot be known, it is waited for a sign of life."""
    alive = lives(cycle.hold)
    if alive is not None:
        return not alive
    before, looks = await _signs(book, cycle), 20
    for _ in range(looks):
        await anyio.sleep(LEASE / looks)
        if await _signs(book, cycle) != before:
            return False
    return True


async def _signs(book: Logbook, cycle: Cycle) -> tuple[int, int]:
    return len(await book.claims()), len(await book.work(cycle.id))


class _Work:
    """Works on a cycle that is had under its ``hold``."""

    def __init__(
        self,
        board: Board,
        book: Logbook,
        cycle: Cycle,
        retry: Retry,
        analyst: Analyst,
        budget: Budget | None,
        rest: float,
        now: Callable[[], float],
    ) -> None:
        self._book, self._cycle, self._now = book, cycle, now
        self._journal, self._library = Journal(board), Library(board)
        self._retry, self._analyst, self._budget = retry, analyst, budget
        self._settings = cycle.began.settings
        self._rest, self._since = rest, time.thread_time()
        self._state = State(self._settings)
        self._logs: dict[str, TaskLog] = {}
        self._live: list[Strategy] = []
        self._number = 0
        self._said = 0.0
        """When the last sign of life was given, by this process's own clock."""

    async def through(self, watch: Watch | None) -> Account:
        """Do what is to be done until the cycle is at its end."""
        self._state = State.of(self._settings, await self._book.work(self._cycle.id))
        self._cap()
        while not isinstance(unit := self._state.next, End):
            began, had = time.monotonic(), self._budget.spent if self._budget else 0
            entry = await self._do(unit)
            tokens = max(entry.spent.tokens, self._budget.spent - had if self._budget else 0)
            await self._put(replace(entry, spent=Spent(entry.spent.retries, tokens, time.monotonic() - began)))
            await self._breathe()
            if watch:
                watch(self._state)
        return await self._end()

    async def live(self) -> None:
        """Give a sign of life where a unit of work takes long."""
        while True:
            await anyio.sleep(BEAT)
            if time.monotonic() - self._said >= BEAT:
                await self._put(Alive())

    async def _put(self, entry: Work) -> None:
        if self._said and time.monotonic() - self._said > LEASE / 2:
            await self._ours()
        self._number += 1
        await self._book.put(self._cycle.id, self._cycle.hold, self._number, entry)
        self._said = time.monotonic()
        self._state.take(entry)

    async def _ours(self) -> None:
        has = under_way(await self._book.claims())
        if has is None or has.hold != self._cycle.hold:
            who = f"{has.by} works on it now" if has and has.id == self._cycle.id else "it has ended"
            raise Lost(f"cycle {self._cycle.id} was taken over, since nothing was heard of it for {LEASE:g} s: {who}")

    async def _breathe(self) -> None:
        """Let others work."""
        await anyio.sleep(self._rest * (time.thread_time() - self._since))
        self._since = time.thread_time()

    def _cap(self) -> None:
        """Leave the models no more than the settings do."""
        if self._budget and self._settings.tokens is not None:
            left = max(0, self._settings.tokens - self._state.spent.tokens)
            self._budget.tokens -= max(0, self._budget.left - left)

    # ---- units of work ------------------------------------------------------------------------------------------------------------------

    async def _do(self, unit: Any) -> Any:
        match unit:
            case Choose():
                return await self._choose()
            case Analyse():
                return await self._analyse(unit.task)
            case Vary():
                return await self._vary()
            case Evaluate():
                return await self._evaluate(unit.candidate)
            case Propose():
                return await self._propose(unit.candidate)

    async def _choose(self) -> Chosen:
        learned = {task for each in cycles(await self._book.claims()) if each.ended for task in each.ended.learned}
        live = [release.strategy.ref for release in await self._library.releases("active")]
        records = {record.id: record for record in await self._journal.tasks()}
        for head in await self._journal.heads():
            if head.verdict and head.id not in records:  # nobody has worked out yet what it came to
                records[head.id] = summarised(await self._log(head.id))
        return choose(list(records.values()), live, learned=learned, settings=self._settings)

    async def _analyse(self, task: str) -> Analysed:
        failure, live = await self._log(task), await self._in_force()
        successes = most_alike(failure, await self._all(self._chosen.successes), BESIDE)
        try:
            found = await self._analyst.analyse(failure, successes, live)
        except Exception as error:  # noqa: BLE001 - an analyst that fails on one failure keeps the cycle from none of the others
            return Analysed(task, None, shortened(told_error(error), TOLD))
        if found is not None and not isinstance(found, Diagnosis):
            return Analysed(task, None, f"analyse gave {shortened(repr(found), TOLD)}: give a Diagnosis, or None")
        return Analysed(task, found)

    async def _vary(self) -> Varied:
        live = await self._in_force()
        made = vary(
            [each.diagnosis for each in self._state.analysed.values() if each.diagnosis],
            live,
            failures=await self._all(self._state.analysed),
            successes=await self._all(self._chosen.successes),
            rejected=await self._known(),
            cycle=self._cycle.id,
            at_most=self._settings.candidates,
        )
        by_name = {strategy.name: strategy for strategy in live}
        return Varied(
            made.candidates,
            tuple(told(changes(by_name.get(each.name), each)) for each in made.candidates),
            tuple(f"{passed.mend.strategy or 'a new one'}: {passed.why}" for passed in made.passed_over),
        )

    async def _evaluate(self, candidate: Strategy) -> Judged | Retried | Stopped:
        """Some retries, or the verdict, if it stands."""
        failures = tried_on(candidate, await self._all(self._state.analysed))
        successes = tried_on(candidate, await self._all(self._chosen.successes))
        aside = tried_on(candidate, await self._all(self._chosen.aside)) if self._settings.generalises else None
        before = [*await self._in_force()]
        for each in self._state.holding:
            before = evaluation.with_candidate(before, each)
        plan = evaluation.plan(candidate, live=before, failures=failures, successes=successes, aside=aside, most=self._settings.each)
        strategies = {plan.before: before, plan.after: evaluation.with_candidate(before, candidate)}
        known = self._state.tried.values()
        fresh: list[Tried] = []
        stopped = ""

        async def retry(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
            nonlocal stopped
            try:
                return await self._retry(task, strategies)
            except BudgetSpent as error:
                stopped = str(error)
                raise

        began = time.monotonic()
        while time.monotonic() - began < TOGETHER and (trial := evaluation.due(plan, [*known, *fresh])):
            task = await self._log(trial.task)
            await self._breathe()
            fresh.append(await evaluation.attempt(trial, retry, task, strategies[trial.strategies]))
            self._since = time.thread_time()  # where it is done apart, a retry is no work of this thread
            if stopped:
                fresh.pop()
                break
            if exceeded(self._settings, self._state.spent + _cost(fresh)):
                break
        if fresh:
            return Retried(tuple(fresh), _cost(fresh))
        if stopped:
            return Stopped(stopped)
        return Judged(identity(candidate), evaluation.judge(plan, known))

    async def _propose(self, candidate: Strategy) -> Proposed:
        await self._ours()
        evaluation = self._state.judged[identity(candidate)].evaluation
        release = await self._library.add(candidate, scores=scores(evaluation), why=evaluation.why)  # there already, if this is done again
        return Proposed(identity(candidate), release.strategy.ref)

    async def _end(self) -> Account:
        await self._ours()
        state = self._state
        proposed = tuple(state.proposed.values())
        why = state.trouble or state.stopped
        if not state.chosen or not state.chosen.failures:
            why = why or "there is no new failure to learn from"
        elif proposed:
            why = f"{', '.join(proposed)} await{'s' * (len(proposed) == 1)} review" + (f"; {why}" if why else "")
        else:
            why = why or ("no candidate holds" if state.varied and state.varied.candidates else "nothing new is to be tried")
        turned_down = tuple(name for name, each in state.judged.items() if each.evaluation.verdict in {"rejected", "overfitted"})
        learned = () if state.stopped else tuple(state.analysed)
        live = state.chosen.live if state.chosen else ()
        ended = Ended(self._cycle.id, self._cycle.hold, self._now(), why, learned, turned_down, live, proposed, state.spent)
        await self._book.claim(ended)
        return account(replace(self._cycle, ended=ended), state)

    # ---- what it works on ---------------------------------------------------------------------------------------------------------------

    @property
    def _chosen(self) -> Chosen:
        assert self._state.chosen is not None
        return self._state.chosen

    async def _in_force(self) -> list[Strategy]:
        """What was in force when the cycle began."""
        if not self._live:
            self._live = [(await self._library.get(ref)).strategy for ref in self._chosen.live]
        return self._live

    async def _known(self) -> set[str]:
        """Candidates that are not to be tried again: turned down by a person, or beside what is in force by an evaluation; or waiting."""
        ended = [each.ended for each in cycles(await self._book.claims()) if each.ended]
        return {each for end in ended if set(end.live) == set(self._chosen.live) for each in end.turned_down} | {
            identity(release.strategy) for release in await self._library.releases() if release.status != "active"
        }

    async def _log(self, task: str) -> TaskLog:
        if task not in self._logs:
            self._logs[task] = await self._journal.log(task)
            await self._breathe()
        return self._logs[task]

    async def _all(self, tasks: Iterable[str]) -> list[TaskLog]:
        return [await self._log(task) for task in tasks]


def _cost(tried: Sequence[Tried]) -> Spent:
    return Spent(len(tried), sum(each.tokens for each in tried))
