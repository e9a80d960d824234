"""One agent's line to one board: what its posts, questions and feeds go through."""

import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from math import inf
from typing import Self

import anyio

from blackboard import views
from blackboard.errors import BadValue, BlackboardError, refused
from bus import names
from bus.errors import BadMessage, BusError, NoAnswer
from bus.messages import Answer, AnyQuery, AnyReply, Ask, Events, Failed, Missed, Recalled, decode_answer, encode
from bus.port import Channel
from bus.telemetry import Place

PATIENCE = 10.0
"""Seconds that a question is asked again while nobody answers: as long as a host takes to be started anew."""
_AGAIN = 0.1
_BEHIND_ALL = 2**62


class Line:
    """The agent ``agent`` and the board ``board``, over ``bus``. It belongs to one event loop."""

    def __init__(self, bus: Channel, board: str, agent: str) -> None:
        self._bus = bus
        self.board = names.valid_name(board, "board")
        self.agent = names.valid_name(agent)
        self.place = Place(bus.system, board, agent)
        self.audiences = views.audiences(agent)
        self.now = 0.0
        """The board's time, as it was last heard of."""

    @classmethod
    def of_host(cls, bus: Channel, board: str) -> Self:
        """A line of whoever has the board's files: it speaks in the host's name."""
        line = cls(bus, board, "operator")
        line.agent = names.HOST
        line.place = Place(bus.system, board)
        return line

    async def publish(self, data: bytes, trace: str = "") -> None:
        """Send a post; return once it is durable. Raises ``BusError``."""
        await self._bus.publish(self.board, self.agent, data, trace=trace)

    async def ask(self, query: AnyQuery, mark: tuple[str, int] = ("", 0), *, patience: float = PATIENCE) -> AnyReply:
        """The reply, as of the agent's own post ``mark`` (epoch, number) at the earliest.

        Raises ``Refused`` (``BadValue`` for what cannot be sent), ``NoAnswer`` once ``patience`` seconds have passed, ``Unreachable``.
        """
        try:
            data = encode(Ask(query, *mark))
        except (TypeError, ValueError, OverflowError) as error:
            raise BadValue(f"{type(query).__name__.lower()}: {error}") from error
        give_up = time.monotonic() + patience
        while True:
            try:
                answer = decode_answer(await self._bus.ask(self.board, self.agent, data))
                return self._opened(answer)
            except NoAnswer:
                if time.monotonic() >= give_up:
                    raise
            await anyio.sleep(_AGAIN)

    def _opened(self, answer: Answer) -> AnyReply:
        self.now = max(self.now, answer.now)
        match answer.reply:
            case Failed(code, message):
                raise _failure(code, message)
            case reply:
                return reply

    def listen(self, audience: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Hear an audience's events from now on."""
        return self._bus.listen(self.board, audience)

    def heard(self, events: Events) -> None:
        """Take the board's time from events."""
        self.now = max(self.now, events.t)

    async def missed(self, audience: str, after: int, *, patience: float = inf) -> Recalled:
        """An audience's events after number ``after``, as many as fit in a reply."""
        reply = await self.ask(Missed(audience, after), patience=patience)
        assert isinstance(reply, Recalled)
        return reply

    async def newest(self, audience: str, *, patience: float = PATIENCE) -> int:
        """The number of an audience's last events."""
        return (await self.missed(audience, _BEHIND_ALL, patience=patience)).last


def _failure(code: str, message: str) -> BusError | BlackboardError:
    """The error that a reply names."""
    match code:
        case "NoAnswer":
            return NoAnswer(message)
        case "BadMessage":
            return BadMessage(message)
        case "BlackboardError":
            return BlackboardError(message)
        case _:
            return refused(code, message)
