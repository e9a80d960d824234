"""The story as a person can follow it: round by round, who published what, what rose, and what came of it."""

from agents import Agent, every, on_change, on_signal
from bus.messages import Change, Signal

VERBS = {"deposit": "publishes", "retract": "withdraws", "supersede": "replaces"}
MARKS = {"rising": "▲", "fading": "▽", "violated": "✗", "contested": "≠"}


class Timeline(Agent):
    """Looks on from outside: it sees what is shared, and nothing else."""

    def __init__(self) -> None:
        super().__init__("operator")
        self.round = -1

    @every(rounds=1)
    async def turn(self, round_: int) -> None:
        """A round begins."""
        self._at(round_)

    @on_change()
    async def moved(self, change: Change) -> None:
        """Somebody did something to a shared item."""
        if change.ends:
            return
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
            "violated": f"breaks {evidence.rule}: " + ", ".join(f"{who} says {value:,}" for who, value in evidence.values.items()),
            "contested": ", ".join(f"{who} says {value:,}" for who, value in evidence.values.items()),
            "fading": "soft: it may be relaxed" if evidence.relaxable else "hard: it binds all the same",
        }.get(signal.signal, signal.reason)
        print(f"  {MARKS.get(signal.signal, '•')} {signal.signal.upper():<12} {signal.content or signal.key}  ({about})")

    async def end(self) -> None:
        """What stands at the end, and what one may still do."""
        print("\nAt the end, for everybody to see:")
        for view in await self.board.constraints():
            bound = "may be relaxed" if view.relaxable else "hard, binds" if view.item.hard else "soft"
            print(f"    {view.status:<8} {view.rule}  ({bound}, strength {view.item.strength:.2f})")
        for quantity, asked in (("budget", 52_000), ("travel", 3_600)):
            [breach] = await self.board.check(**{quantity: asked})
            verdict = "which may be relaxed" if breach.relaxable else "which binds"
            print(f"    {quantity} = {asked:,}? breaks {breach.rule}, {verdict}")
        stats = await self.board.stats()
        print(f"    {stats.items} items are shared; what an agent keeps to itself is counted for nobody else")

    def _at(self, round_: int) -> None:
        if round_ > self.round:
            self.round = round_
            print(f"round {round_}")
