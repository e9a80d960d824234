"""Scents as messages give them, for tests."""

from typing import Any

from bus.messages import Scent

CONFIRMATION = Scent("confirmation", 0.0, 0.0)
CONTINUATION = Scent("continuation", 0.0, 0.0)
CHATTER = Scent("chatter", 0.1, 0.3)


def slot(
    type_: str, value: Any, *, concentration: float = 0.75, decay: float = 0.9, target: str | None = None, asked: bool = False
) -> Scent:
    """A value of a slot."""
    about = f" ({target})" if target else ""
    return Scent(type_, concentration, decay, target, value, f"{type_}{about}: {value}", "slot", asked)


def ship(value: str, *, asked: bool = False, target: str | None = None) -> Scent:
    """A shipping address, as chapter 3 has it."""
    return slot("shipping_address", value, asked=asked, target=target)


def order(number: str) -> Scent:
    """An order that is named."""
    return slot("order_reference", number, concentration=0.7, decay=0.88, target=number)


def directive(verb: str, content: str, *, target: str | None = None, asked: bool = False) -> Scent:
    """A request."""
    return Scent("directive", 0.85, 0.95, target, verb, content, "state", asked)


def rule(verb: str, content: str, *, target: str | None = None) -> Scent:
    """A standing rule."""
    return Scent("directive", 0.85, 0.95, target, verb, content, "constraint")


def plain(type_: str, concentration: float, decay: float = 1.0) -> Scent:
    """One that says nothing."""
    return Scent(type_, concentration, decay)
