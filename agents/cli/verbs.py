"""``deposit``, ``share``, ``retract``: what a person says on a board."""

from typing import Any

import anyio
import msgspec

from agents.cli.output import number, plain, print_json
from agents.cli.places import OPERATOR, BoardName, ItemId, Who, opened
from agents.errors import CommandError
from blackboard.client import Board
from blackboard.wire import to_wire

APPLIED_WITHIN = 5.0
"""Seconds; what is not applied by then is in the log all the same."""


async def deposit(
    board: BoardName,
    content: str,
    /,
    *,
    kind: str = "fact",
    key: str | None = None,
    target: str | None = None,
    value: str | None = None,
    op: str | None = None,
    unit: str | None = None,
    hard: bool = False,
    strength: float | None = None,
    expires_at: float | None = None,
    shared: bool = False,
    who: Who = OPERATOR,
) -> None:
    """Put an item on a board; one that stands already is confirmed.

    Parameters
    ----------
    content
        What it says.
    kind
        constraint, preference, fact, slot, tool_result, state, trace, or one of the board's own.
    key
        What it is about.
    target
        Which entity it is about.
    value
        Its value, as JSON; anything else is taken as text.
    op
        Makes it a constraint on the key: <= < >= > == != in not_in matches.
    unit
        The value's unit.
    hard
        A constraint that binds until it is released.
    strength
        Its initial strength, if not the kind's.
    expires_at
        The round, or the Unix time, that ends it.
    shared
        For everybody to see; private otherwise.
    """
    scope = "shared" if shared else "private"
    said = _value(value)
    async with opened(board, who) as at:
        if op is None:
            item = await at.deposit(
                content, kind=kind, key=key, target=target, value=said, unit=unit, hard=hard,
                strength=strength, expires_at=expires_at, scope=scope,
            )  # fmt: skip
        elif key is None:
            raise CommandError(f"--op {op} limits a quantity: name it with --key")
        else:
            item = await at.constrain(
                key, op, said, content=content, target=target, unit=unit, hard=hard,
                strength=strength, expires_at=expires_at, scope=scope,
            )  # fmt: skip
        await _say(at, item.id, "deposited", who)


async def share(board: BoardName, item: ItemId, /, *, who: Who = OPERATOR) -> None:
    """Make a private item of one's own shared."""
    async with opened(board, who) as at:
        await at.share(item)
        await _say(at, item, "shared", who)


async def retract(board: BoardName, item: ItemId, /, *, who: Who = OPERATOR) -> None:
    """Withdraw one's own assertion; the last one removes the item."""
    async with opened(board, who) as at:
        await at.retract(item)
        await _say(at, item, "retracted", who)


async def _say(at: Board, item: str, done: str, who: Who) -> None:
    """Report the item as the board holds it now. What was refused raises here."""
    with anyio.move_on_after(APPLIED_WITHIN):  # a board in trouble says so when it is asked
        await at.wait_applied()
    stands = await at.get(item)
    if who.json:
        print_json(to_wire(stands))
    else:
        how = f"{stands.scope} {stands.kind}, {stands.status}, strength {number(stands.strength)}"
        print(f"{done}: {plain(stands.content)} ({how}) {stands.id}")


def _value(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
