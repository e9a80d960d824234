"""``watch``: what happens on a board, as it happens."""

import sys
from collections.abc import Sequence

from agents.cli.output import moment, number, plain, print_json
from agents.cli.places import OPERATOR, BoardName, Who, opened
from agents.errors import CommandError
from blackboard.client import Board
from blackboard.errors import NotInView
from blackboard.feed import Feed
from bus.messages import Change, Signal


async def watch(
    board: BoardName, /, *, signals: bool = False, changes: bool = False, since: str | None = None, who: Who = OPERATOR
) -> None:
    """Show what happens on a board until interrupted: changes of strength, and signals. With --json, one document a line.

    Parameters
    ----------
    signals
        Signals alone.
    changes
        Changes alone.
    since
        Go on from this position, which an earlier watch printed.
    """
    if signals and changes:
        raise CommandError("give --signals or --changes, not both; without either, both are shown")
    async with opened(board, who) as at:
        feed: Feed[Change] | Feed[Signal] | Feed[Change | Signal]
        if signals:
            feed = at.signals(own=True, since=since)
        elif changes:
            feed = at.changes(since=since)
        else:
            feed = at.feed(own=True, since=since)
        time = (await at.stats()).time
        known = since is None  # whether the feed's position is one to go on from
        try:
            async with feed:
                print(f"watching {at.name} as {who.agent} (Ctrl-C ends it)", file=sys.stderr, flush=True)
                async for event in feed:
                    known = True
                    match event:
                        case _ if who.json:
                            print_json({"position": feed.position, "event": event})
                        case Change():
                            print(_moved(event, [await _content(at, item) for item in event.ends or (event.item,)]), flush=True)
                        case Signal():
                            print(_noticed(event, time), flush=True)
        finally:
            if known:
                print(f"go on from here with --since '{feed.position}'", file=sys.stderr, flush=True)


async def _content(at: Board, item: str) -> str:
    """What an item says, or, if it is in view no more, its id."""
    try:
        return (await at.get(item)).content
    except NotInView:
        return item


def _moved(change: Change, said: Sequence[str]) -> str:
    what = f"{change.by or 'time'} {change.cause} {_about(change)}: {_on_one_line(' – '.join(said))}"
    return f"{what}, {number(change.old)} → {number(change.new)}"


def _noticed(signal: Signal, time: str) -> str:
    by = f", by {', '.join(signal.evidence.agents)}" if signal.evidence.agents else ""
    why = f" ({signal.reason})" if signal.reason else ""
    said = f"{_about(signal)}: {_on_one_line(signal.content)}, {number(signal.strength)}{by}"
    return f"{moment(signal.t, time)}: {signal.signal.upper()}{why} {said}"


def _about(event: Change | Signal) -> str:
    return f"{event.kind} {event.key}" if event.key else event.kind


def _on_one_line(text: str) -> str:
    return plain(" ".join(text.split()))
