"""agents.handlers: what wakes an agent."""

import pytest

from agents import every, on_change, on_signal
from agents.handlers import Every, handlers_of
from blackboard.filters import ChangeFilter, SignalFilter
from bus.messages import Change, Signal

RISING = Signal(signal="rising", item="a1", kind="fact", key="price")
REINFORCED = Change(item="a1", kind="fact", cause="reinforce", old=4.0, new=5.0, key="price")


class Base:
    @on_signal("rising", key="price")
    async def first(self, signal: Signal) -> None: ...

    @every(rounds=2)
    @on_change(cause="reinforce")
    async def second(self, happened: object) -> None: ...


class Derived(Base):
    async def first(self, signal: Signal) -> None: ...

    @on_signal("fading")
    async def third(self, signal: Signal) -> None: ...


def test_order() -> None:
    """Handlers come in the order in which they are written, and one method may be woken by several things."""
    wakes = [(wake, handler.__name__) for wake, handler in handlers_of(Base())]
    assert wakes == [
        (SignalFilter(("rising",), "price"), "first"),
        (Every(rounds=2), "second"),
        (ChangeFilter(cause="reinforce"), "second"),
    ]


def test_inheritance() -> None:
    """A subclass inherits marks, overrides a method without marking it again, and adds its own."""
    agent = Derived()
    found = {handler.__name__: handler for _, handler in handlers_of(agent)}
    assert list(found) == ["first", "second", "third"]
    assert found["first"] == agent.first


def test_wrong_marks() -> None:
    """A mark that could never work is refused where it is written, with the cure."""
    with pytest.raises(TypeError, match=r"in parentheses"):
        on_signal(lambda: None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="write `async def`"):
        on_signal("rising")(lambda: None)  # type: ignore[type-var]
    with pytest.raises(TypeError, match="one of the two"):
        every()
    with pytest.raises(TypeError, match="one of the two"):
        every(rounds=1, seconds=1.0)
    with pytest.raises(ValueError, match="at least 1"):
        every(rounds=0)
    with pytest.raises(ValueError, match="above 0"):
        every(seconds=float("nan"))
