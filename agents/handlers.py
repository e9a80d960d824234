"""What wakes an agent: ``on_signal``, ``on_change`` and ``every`` mark methods of an ``Agent``; ``handlers_of`` finds them again.

A mark stands on the function, so that subclasses inherit it and may override the method without marking it again.
"""

from collections.abc import Callable, Coroutine
from inspect import iscoroutinefunction
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from blackboard.filters import ChangeFilter, SignalFilter

Handler = Callable[[Any], Coroutine[Any, Any, None]]
"""A bound method that takes what happened."""

F = TypeVar("F", bound=Callable[..., Coroutine[Any, Any, None]])

_MARKS = "__pheroboard_wakes__"


class Every(Struct, frozen=True):
    """Wakes as time passes: in rounds of the crew, or in seconds of this process."""

    rounds: int | None = None
    seconds: float | None = None


Wake = SignalFilter | ChangeFilter | Every


class Marked(NamedTuple):
    """A method of one agent, and what wakes it."""

    wake: Wake
    handler: Handler


def on_signal(*names: str, key: str | None = None, kind: str | None = None, item: str | None = None, own: bool = False) -> Callable[[F], F]:
    """Call the method with each ``Signal`` that meets every filter given: ``@on_signal("rising", key="supplier_price")``.

    An agent is not told of a rise that it alone caused, unless ``own`` is true.
    """
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f'@on_signal{names}: the names of signals go in parentheses, as in @on_signal("rising")')
    return _mark(SignalFilter(names, key, kind, item, own), "on_signal")


def on_change(*, kind: str | None = None, key: str | None = None, cause: str | None = None, item: str | None = None) -> Callable[[F], F]:
    """Call the method with each ``Change`` in the agent's view, its own ones too, that meets every filter given."""
    return _mark(ChangeFilter(kind, key, cause, item), "on_change")


def every(*, rounds: int | None = None, seconds: float | None = None) -> Callable[[F], F]:
    """Call the method each ``rounds`` rounds with the round's number, or each ``seconds`` with the number of the call, from 0.

    Rounds are those that a crew with ``rounds=`` plays: a method of ``every(rounds=5)`` is called in the rounds 0, 5, 10 …
    """
    if (rounds is None) == (seconds is None):
        raise TypeError(f"every(rounds={rounds}, seconds={seconds}): give one of the two")
    if rounds is not None and rounds < 1:
        raise ValueError(f"every(rounds={rounds}): at least 1")
    if seconds is not None and not seconds > 0:
        raise ValueError(f"every(seconds={seconds}): above 0")
    return _mark(Every(rounds, seconds), "every")


def handlers_of(agent: object) -> tuple[Marked, ...]:
    """The marked methods of ``agent``, those of base classes first, in the order in which they are written."""
    found: dict[str, tuple[Wake, ...]] = {}
    for cls in reversed(type(agent).__mro__):
        for name, attribute in vars(cls).items():
            marks = getattr(attribute, _MARKS, None)
            if marks:
                found[name] = marks
    return tuple(Marked(wake, getattr(agent, name)) for name, marks in found.items() for wake in marks)


def waits_for_rounds(agent: object) -> bool:
    """Whether ``agent`` has a method that is to be called every so many rounds."""
    return any(isinstance(wake, Every) and wake.rounds for wake, _ in handlers_of(agent))


def _mark(wake: Wake, decorator: str) -> Callable[[F], F]:
    def decorate(method: F) -> F:
        if not iscoroutinefunction(method):
            raise TypeError(f"@{decorator}(…) marks {method!r}, which is not an async method: write `async def`")
        setattr(method, _MARKS, (wake, *getattr(method, _MARKS, ())))
        return method

    return decorate
