"""``watch``: what happens on a board, as it happens."""

import sys

from agents.cli.errors import CommandError
from agents.cli.output import moment, number, print_json
from agents.cli.places import OPERATOR, BoardName, Who, opened
from blackboard.client import Feed
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
        try:
            async with feed:
                print(f"watching {at.name} as {who.agent} (Ctrl-C ends it)", file=sys.stderr, flush=True)
                async for event in feed:
                    if who.json:
                        print_json({"position": feed.position, "event": event})
                    else:
                        print(_line(event, time), flush=True)
        finally:
            print(f"go on from here with --since '{feed.position}'", file=sys.stderr, flush=True)


def _line(event: Change | Signal, time: str) -> str:
    about = event.key or event.item
    match event:
        case Change():
            return f"{event.by or 'time'} {event.cause} {event.kind} {about}: {number(event.old)} → {number(event.new)}"
        case Signal():
            by = f", by {', '.join(event.evidence.agents)}" if event.evidence.agents else ""
            why = f" ({event.reason})" if event.reason else ""
            said = f"{event.kind} {about}: {event.content}, {number(event.strength)}{by}"
            return f"{moment(event.t, time)}: {event.signal.upper()}{why} {said}"
