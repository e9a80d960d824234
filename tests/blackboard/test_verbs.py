"""What is said becomes the observation that says it."""

from typing import Any

import pytest

from blackboard.errors import BadValue
from blackboard.items import ContextItem
from blackboard.verbs import Batch, id_of
from bus.messages import Confirm, Deposit, Link, Reinforce, Retract, Share, Unit, Use


async def said(verb: str, *args: Any, **kwargs: Any) -> Unit:
    sent: list[Unit] = []

    async def send(unit: Unit) -> None:
        sent.append(unit)

    async with Batch("board", "finance", send) as batch:
        await getattr(batch, verb)(*args, **kwargs)
    [unit] = sent
    return unit


async def test_each_verb() -> None:
    """Each verb is one observation; an item may be given for its id."""
    item = ContextItem("x")
    item.id = "1" * 32
    for verb, kind in (("confirm", Confirm), ("use", Use), ("share", Share), ("retract", Retract)):
        assert await said(verb, item) == (kind(item.id),)
    assert await said("reinforce", item, 0.5) == (Reinforce(item.id, 0.5),)
    assert await said("link", item, "2" * 32, relation="about") == (Link(item.id, "2" * 32, None, "about", None),)
    assert await said("deposit", "x", key="k", meta={"a": 1}) == (Deposit("x", key="k", meta={"a": 1}),)
    assert await said("constrain", "budget", "<=", 5.0, hard=False, content="in words") == (
        Deposit("in words", kind="constraint", key="budget", value=5.0, op="<=", scope="shared"),
    )


def test_what_has_no_id() -> None:
    """An item that is on no board yet cannot be meant."""
    for nothing in (ContextItem("x"), ""):
        with pytest.raises(BadValue, match="deposit it first"):
            id_of(nothing)
