"""Questions about a board, answered once the asker's own writes are in (read-your-writes).

Laws:

- Nobody sees a past: what the log held when the host came is applied before anything is answered.
- An asker reads its own writes: the answer waits until the asker's ``(epoch, seq)`` is applied and committed.
- An error is a reply, too. What an asker may not see answers in the same words as what does not exist.
- A reply fits the transport: what does not is refused with the cure, or cut where the asker can go on.
"""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

import anyio
import msgspec
from msgspec.structs import replace

from blackboard import views
from blackboard.board import Board
from blackboard.clock import Clock
from blackboard.errors import NotInView, NotYours, Refused, TooBig
from blackboard.progress import Progress
from blackboard.store import Store
from blackboard.trying import Work
from blackboard.validity import validate_limit
from bus import names, telemetry
from bus.errors import BadMessage, NoAnswer
from bus.messages import (
    Account,
    Act,
    Answer,
    AnyQuery,
    AnyReply,
    Applied,
    Ask,
    Change,
    Counted,
    Events,
    Explain,
    Explained,
    Failed,
    HostList,
    Hosts,
    HostState,
    Limited,
    Limits,
    Missed,
    Recalled,
    Refusal,
    UpTo,
    decode_ask,
    decode_events,
    encode,
)
from bus.port import MAX_BYTES
from bus.telemetry import Place

WAIT = 4.0
"""Seconds that an answer waits for the board: less than the asker waits for the answer."""
PREPARED_AT_ONCE = 64
"""Items that are read for a question before others may be served."""
MAX_REFUSALS = 32
"""Of an agent, the newest."""
MAX_ACTS = 1000
"""Steps of one account; what came before them is its opening balance."""
_RECALLED_BYTES = MAX_BYTES // 2

_logger = logging.getLogger(__name__)


class _Step(NamedTuple):
    before: int
    """The entry that moved the item before."""
    t: float
    change: Change


class Questions:
    """Answers the queries of one board."""

    def __init__(
        self,
        board: Board,
        store: Store,
        progress: Progress,
        clock: Clock,
        hosts: Callable[[], tuple[HostState, ...]],
        place: Place,
        owed: Callable[[str, float], float] | None = None,
    ) -> None:
        """``hosts``: all that host the board, as this one knows them. ``owed``: (agent, stamp) → what it owes then."""
        self._board = board
        self._store = store
        self._progress = progress
        self._clock = clock
        self._hosts = hosts
        self._owed = owed
        self._place = place
        self.since = 0
        """The entry that the board must have applied before it answers."""

    async def answer(self, agent: str, data: bytes) -> bytes:
        """The encoded ``Answer`` to an encoded ``Ask``. Never raises: an error is a reply."""
        try:
            ask = decode_ask(data)
            with telemetry.answering(self._place, type(ask.query).__name__):
                reply = await self._reply(agent, ask)
        except (Refused, BadMessage, NoAnswer) as error:
            reply = Failed(type(error).__name__, str(error))
        except Exception:
            _logger.exception("a query of %s", agent)
            reply = Failed("BlackboardError", "the board failed to answer; its host's log says why")
        answer = encode(Answer(reply, self._board.now))
        if len(answer) > MAX_BYTES:
            failed = Failed(TooBig.__name__, f"the answer has {len(answer):,} bytes, and {MAX_BYTES:,} fit: ask for less at a time")
            return encode(Answer(failed, self._board.now))
        return answer

    async def _reply(self, agent: str, ask: Ask) -> AnyReply:
        await self._catch_up(agent, ask)
        match ask.query:
            case Applied(gone, epoch):
                if gone and agent == names.HOST:
                    erased = self._progress.erasing  # what is erased meanwhile, others wait for
                    clean = self._progress.until(lambda: self._progress.clean >= erased)
                    await _in_time(clean, "what was erased is not out of the files yet")
                return await self._applied(agent, epoch)
            case Limits():
                owed = self._owed(agent, self._clock.now()) if self._owed is not None else None
                return Limited(self._board.config.rate, self._board.config.burst, owed)
            case Missed(audience, after, limit):
                return await self._missed(agent, audience, after, limit)
            case Explain(item):
                return await self._explain(agent, item)
            case Hosts():
                if agent != names.HOST:
                    raise NotYours("how a board's hosts stand is told to hosts alone: ask where the board's data is, or with a host's key")
                return HostList(self._hosts())
            case query:
                await _in_time(self._prepared(agent, query), "there is much to be read before this can be answered, and it goes on")
                reply = self._board.answer(agent, query, at=self._clock.now())
                if isinstance(reply, Counted):
                    return Counted(replace(reply.stats, trouble=self._progress.trouble))
                return reply

    async def _prepared(self, agent: str, query: AnyQuery) -> None:
        """What has to be done first (a million texts may wait to be indexed) is done while others are served; what was done stays so."""
        work = Work()
        while self._board.prepare(agent, query, PREPARED_AT_ONCE):
            if self._board.analyses.is_due():
                self._progress.wake()  # the house keeps them
            await work.breathe()

    async def _catch_up(self, agent: str, ask: Ask) -> None:
        come = self._progress.until(lambda: self._progress.cursor >= self.since)
        await _in_time(come, self._late("the board is coming back and has not read its log yet"))
        applied = self._progress.until(partial(self._progress.has, agent, ask.epoch, ask.seq))
        late = self._late("the board is behind, or the post never came")
        await _in_time(applied, f"post {ask.seq} of epoch {ask.epoch!r} is not applied: {late}")

    def _late(self, why: str) -> str:
        return f"the board is in trouble {trouble}" if (trouble := self._progress.trouble) else why

    async def _applied(self, agent: str, epoch: str) -> UpTo:
        """Units that were refused, and posts that could not be read; how far an epoch is."""
        letters = await self._store.dead_letters(MAX_REFUSALS, agent)
        refusals = [Refusal(code=d.code, message=d.error, epoch=d.epoch, seq=d.post, unit=d.unit) for d in reversed(letters)]
        return UpTo(tuple(refusals), self._progress.marks.get((agent, epoch), 0))

    async def _missed(self, agent: str, audience: str, after: int, limit: int) -> Recalled:
        if audience not in views.audiences(agent):
            raise NotInView
        validate_limit(limit)
        first, last = await self._store.bounds(audience)
        if after >= last:
            # Who asks for the newest number begins to listen: what is counted must not come again as live.
            await _in_time(self._progress.until(lambda: self._progress.told.get(audience, last) >= last), f"events {last} cannot be told")
        events, size = list[Events](), 0
        for row in await self._store.events(audience, max(after, 0), limit):
            size += len(row.data)
            if events and size > _RECALLED_BYTES:
                break
            events.append(decode_events(row.data))
        return Recalled(tuple(events), last, complete=max(after, 0) + 1 >= first)

    async def _explain(self, agent: str, item_id: str) -> Explained:
        """Follow the item's changes back, each to the entry before it that moved the item (chapter 2, "Inspection")."""
        thread = self._board.thread(agent, item_id, at=self._clock.now())
        item, seq = thread.item, thread.entry
        await self._progress.until(lambda: self._progress.cursor >= thread.entry)  # it may be applied, and not written yet
        steps: list[_Step] = []
        while seq and len(steps) < MAX_ACTS:
            found = await self._steps_at(agent, seq, thread.ids)
            steps += reversed(found)
            before = found[0].before if found else 0
            seq = before if before < seq else 0
        steps.reverse()
        acts: list[Act] = []
        opening = stood = steps[0].change.old if steps else item.strength
        for _, t, change in steps:
            acts.append(Act(t=t, cause=change.cause, by=change.by, evaporated=stood - change.old, before=change.old, after=change.new))
            stood = change.new
        return Explained(Account(item=item, acts=tuple(acts), opening=opening, evaporated_since=stood - item.strength))

    async def _steps_at(self, agent: str, seq: int, ids: frozenset[str]) -> list[_Step]:
        """What moved the item in an entry, as far as the asker may hear of it."""
        steps = []
        for row in await self._store.event_at(seq):
            if row.audience in views.audiences(agent):
                events = decode_events(row.data)
                threads = msgspec.msgpack.decode(row.threads, type=list[int])
                moves = zip(threads, events.changes, strict=True)
                steps += [_Step(before, events.t, change) for before, change in moves if change.item in ids]
        return steps


async def _in_time(work: Awaitable[None], failing: str) -> None:
    try:
        with anyio.fail_after(WAIT):
            await work
    except TimeoutError:
        raise NoAnswer(f"{failing}; after {WAIT:g} s: ask again") from None
