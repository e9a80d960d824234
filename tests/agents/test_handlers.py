"""agents.handlers: what wakes an agent."""

import pytest
from msgspec import structs

from agents import every, on_change, on_signal
from agents.handlers import Every, OnChange, OnSignal, handlers_of
from bus.messages import Change, Evidence, Signal

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
    assert wakes == [(OnSignal(("rising",), "price"), "first"), (Every(rounds=2), "second"), (OnChange(cause="reinforce"), "second")]


def test_inheritance() -> None:
    """A subclass inherits marks, overrides a method without marking it again, and adds its own."""
    agent = Derived()
    found = {handler.__name__: handler for _, handler in handlers_of(agent)}
    assert list(found) == ["first", "second", "third"]
    assert found["first"] == agent.first


@pytest.mark.parametrize(
    ("wake", "meets"),
    [
        (OnSignal(), True),
        (OnSignal(("fading", "rising")), True),
        (OnSignal(("fading",)), False),
        (OnSignal(key="price", kind="fact", item="a1"), True),
        (OnSignal(key="budget"), False),
        (OnSignal(kind="constraint"), False),
        (OnSignal(item="a2"), False),
        (OnChange(), False),
    ],
)
def test_signals(wake: OnSignal | OnChange, meets: bool) -> None:
    """A signal wakes what every filter given lets through, and no handler of changes."""
    assert wake.meets(RISING, "finance") is meets


@pytest.mark.parametrize(
    ("wake", "meets"),
    [
        (OnChange(), True),
        (OnChange(kind="fact", key="price", cause="reinforce", item="a1"), True),
        (OnChange(cause="confirm"), False),
        (OnChange(key="budget"), False),
        (OnChange(kind="state"), False),
        (OnChange(item="a2"), False),
        (OnSignal(), False),
    ],
)
def test_changes(wake: OnSignal | OnChange, meets: bool) -> None:
    """A change wakes what every filter given lets through, and no handler of signals."""
    assert wake.meets(REINFORCED, "finance") is meets


def test_own_rises() -> None:
    """A rise that the agent alone caused wakes it only if it asks for that; any other signal is not about who caused it."""
    own = structs.replace(RISING, evidence=Evidence(agents=("finance",)))
    assert not OnSignal().meets(own, "finance")
    assert OnSignal(own=True).meets(own, "finance")
    assert OnSignal().meets(own, "procurement")
    assert OnSignal().meets(structs.replace(own, evidence=Evidence(agents=("finance", "procurement"))), "finance")
    assert OnSignal().meets(structs.replace(own, signal="violated"), "finance")


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
