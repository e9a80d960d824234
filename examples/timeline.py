"""The story as a person can follow it: round by round, who published what, what rose, and what came of it."""

from collections.abc import Iterable, Mapping
from typing import Any

import blackboard
from agents import Agent, every, on_change, on_signal
from bus.messages import Change, Signal

VERBS = {"deposit": "publishes", "retract": "withdraws", "supersede": "replaces"}
MARKS = {"rising": "▲", "fading": "▽", "violated": "✗", "contested": "≠"}


class Timeline(Agent):
    """Looks on from outside: it sees what is shared, and nothing else."""

    def __init__(self) -> None:
        super().__init__("operator")
        self.round = -2

    @every(rounds=1)
    async def turn(self, round_: int) -> None:
        """A round begins."""
        self._at(round_)

    @on_change()
    async def moved(self, change: Change) -> None:
        """Somebody did something to a shared item."""
        if change.ends:
            return
        self._at(-1)
        item = await self.board.get(change.item)
        who, verb = change.by or "time", VERBS.get(change.cause, f"{change.cause}s")
        print(f"    {who:<12} {verb:<10} {item.content}  [{change.kind} {change.old:.2f} → {change.new:.2f}]")

    @on_signal(own=True)
    async def noticed(self, signal: Signal) -> None:
        """The board noticed something."""
        self._at(round(signal.t))
        evidence = signal.evidence
        about = {
            "rising": f"{signal.reason}, by {', '.join(evidence.agents)}",
            "violated": f"breaks {evidence.rule}: {_said(evidence.values)}",
            "contested": _said(evidence.values),
            "fading": "soft: it may be relaxed" if evidence.relaxable else "hard: it binds all the same",
        }.get(signal.signal, signal.reason)
        print(f"  {MARKS.get(signal.signal, '•')} {signal.signal.upper():<12} {signal.content or signal.key}  ({about})")

    def _at(self, round_: int) -> None:
        if round_ > self.round:
            self.round = round_
            print("at the start" if round_ < 0 else f"round {round_}")


def _said(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{who} says {value:,}" if isinstance(value, int) else f"{who} says {value!r}" for who, value in values.items())


async def summary(address: str, names: Iterable[str]) -> None:
    """What stands at the end, what one may still do, and how much each agent sees."""
    async with blackboard.open(address, agent="operator") as board:
        print("\nAt the end, for everybody to see:")
        for view in await board.constraints():
            bound = "may be relaxed" if view.relaxable else "hard, binds" if view.item.hard else "soft"
            print(f"    {view.status:<8} {view.rule}  ({bound}, strength {view.item.strength:.2f})")
        for asked in ({"budget": 52_000}, {"travel": 3_600}):
            for breach in await board.check(**asked):
                verdict = "may be relaxed" if breach.relaxable else "binds"
                print(f"    {breach.key} = {breach.value:,}? breaks {breach.rule}, which {verdict}")
    for name in names:
        async with blackboard.open(address, agent=name) as board:
            stats = await board.stats()
            print(f"    {name} sees {stats.items} items, {stats.owners.get(name, 0)} of them its own")
