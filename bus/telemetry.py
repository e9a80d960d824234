"""Who traces and measures what boards do: nobody, until somebody is installed (``agents.adapters.opentelemetry.instrument``).

Laws:

- While nobody is, each of these costs one look, and nothing of it goes over the wire.
- It decides nothing. What is told here enters no journal and no state, and whoever is installed raises nothing.
- A trace is a W3C *traceparent*, as it came: a header of a post, a field of what is told. It is data of whoever wrote it: what is none is
  ignored. Nothing else of a caller's context travels: its *tracestate* and *baggage* would be told to other agents.
- No contents, no keys, no values: names of boards, of the agent itself, and of what was done.
"""

from asyncio import AbstractEventLoop
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, NamedTuple, Protocol
from weakref import WeakValueDictionary

from bus.port import LogMessage


class Place(NamedTuple):
    """Where something is done."""

    system: str
    """What carries the board's messages: *nats* or *memory*."""
    board: str
    agent: str = ""
    """The agent at whose end it is done; empty at the host."""


Gauge = Literal["log.lag", "log.age", "feed.lag", "items"]
"""Entries that a host has yet to apply, and for how many seconds the oldest waits; those that a feed has yet to give out; items by tier."""


class Measure(NamedTuple):
    """What a gauge shows now."""

    value: float
    place: Place
    tier: str = ""


class Measured(Protocol):
    """What can be asked for gauges, on its event loop."""

    @property
    def loop(self) -> AbstractEventLoop:
        """The loop."""
        ...

    def measures(self, gauge: Gauge) -> Iterable[Measure]:
        """What this one shows; nothing once it is closed."""
        ...


class Batch(Protocol):
    """Messages of the log that a host is applying."""

    traces: Mapping[int, str]
    """Entry → what goes with that which is told of it."""

    def entry(self, observations: int, signals: Iterable[str], refused: Iterable[str]) -> None:
        """What one did: names of signals, codes of refusals."""
        ...

    def stored(self) -> None:
        """All of it is durable; else it is tried again."""
        ...


class Telemetry(Protocol):
    """Whoever traces and measures. A context's errors are what was done failing with; they pass."""

    def origin(self) -> object:
        """Where the calling code stands, and when."""
        ...

    def sending(self, place: Place, origins: Sequence[object], observations: int) -> AbstractContextManager[str]:
        """A post, of what was said at ``origins``, until it is durable; its trace."""
        ...

    def applying(self, place: Place, messages: Sequence[LogMessage]) -> AbstractContextManager[Batch | None]:
        """A batch, until it is durable."""
        ...

    def handling(self, place: Place, trace: str, event: str, handler: str) -> AbstractContextManager[Any]:
        """A handler is run for an event. What it does belongs to the event's trace."""
        ...

    def received(self, feed: object, place: Place, trace: str, event: str) -> None:
        """A feed gives an event out. What the calling code does belongs to the event's trace, until the feed's next one, or ``over``."""
        ...

    def over(self, feed: object) -> None:
        """The calling code deals with no event of the feed's any more."""
        ...

    def asking(self, place: Place, query: str) -> AbstractContextManager[Any]:
        """An agent's question, until it is answered."""
        ...

    def answering(self, place: Place, query: str) -> AbstractContextManager[Any]:
        """The same at the host."""
        ...


active: Telemetry | None = None
"""Whoever is installed."""
measured: WeakValueDictionary[int, Measured] = WeakValueDictionary()
"""Whatever is open, by its ``id``: kept whether anybody is installed or not, who may be so later."""

_NOBODY = nullcontext("")
_NO_BATCH = nullcontext(None)


def origin() -> object | None:
    """``Telemetry.origin``, as all that follows; None: nobody asks."""
    return None if active is None else active.origin()


def sending(place: Place, origins: Sequence[object], observations: int) -> AbstractContextManager[str]:
    """Its trace is empty where nobody is installed."""
    return _NOBODY if active is None else active.sending(place, origins, observations)


def applying(place: Place, messages: Sequence[LogMessage]) -> AbstractContextManager[Batch | None]:
    """None: nobody counts."""
    return _NO_BATCH if active is None else active.applying(place, messages)


def handling(place: Place, trace: str, event: str, handler: str) -> AbstractContextManager[Any]:
    """Around a handler."""
    return _NOBODY if active is None else active.handling(place, trace, event, handler)


def over(feed: object) -> None:
    """Where no event comes any more."""
    if active is not None:
        active.over(feed)


def asking(place: Place, query: str) -> AbstractContextManager[Any]:
    """Around a question."""
    return _NOBODY if active is None else active.asking(place, query)


def answering(place: Place, query: str) -> AbstractContextManager[Any]:
    """Around an answer."""
    return _NOBODY if active is None else active.answering(place, query)
