"""Drives a pure board by hand: entries in, events out, no clock and no transport."""

from collections import defaultdict
from typing import Any

from blackboard.board import Board
from blackboard.config import BoardConfig
from blackboard.entry import Entry
from blackboard.wire import from_deposit
from bus.messages import (
    AnyObservation,
    AnyQuery,
    Breach,
    Breaches,
    Change,
    Check,
    ConstraintList,
    Constraints,
    ConstraintView,
    Deposit,
    EndRound,
    Events,
    Get,
    Item,
    Items,
    Refusal,
    Signal,
    Top,
)


class Driver:
    """A board, its log, and what everyone has heard."""

    def __init__(self, config: BoardConfig | None = None, *, board: Board | None = None) -> None:
        self.board = board or Board(config or BoardConfig(name="test"))
        self.log: list[Entry] = []
        self.heard: dict[str, list[Events]] = defaultdict(list)
        self.stamp = 1_000.0

    def say(self, agent: str, *unit: AnyObservation, at: float | None = None) -> None:
        """One unit of ``agent``'s, in an entry of its own."""
        self.stamp = self.stamp if at is None else at
        entry = Entry(seq=len(self.log) + 1, stamp=self.stamp, agent=agent, epoch=agent, post=len(self.log) + 1, units=(unit,))
        self.log.append(entry)
        for letter in self.board.apply(entry):
            self.heard[letter.audience].append(letter.events)

    def deposit(self, agent: str, content: str, **fields: Any) -> str:
        """Say a ``Deposit``; the item's id."""
        said = Deposit(content, **fields)
        self.say(agent, said)
        return self.id_of(agent, said)

    def id_of(self, agent: str, said: Deposit) -> str:
        return from_deposit(said, agent).identify(self.board.config.name)

    def rounds(self, n: int, agent: str = "crew") -> None:
        for _ in range(n):
            self.say(agent, EndRound(int(self.board.now)))

    # ---- what came of it ----------------------------------------------------------------------------------------------------------------

    def signals(self, name: str | None = None, audience: str = "shared") -> list[Signal]:
        return [s for events in self.heard[audience] for s in events.signals if name in {None, s.signal}]

    def changes(self, audience: str = "shared") -> list[Change]:
        return [c for events in self.heard[audience] for c in events.changes]

    def refusals(self, agent: str) -> list[Refusal]:
        return [r for events in self.heard[f"private.{agent}"] for r in events.refusals]

    def ask(self, agent: str, query: AnyQuery, at: float | None = None) -> Any:
        return self.board.answer(agent, query, at=at)

    def get(self, agent: str, item: str) -> Item:
        reply = self.ask(agent, Get(item))
        assert isinstance(reply, Items)
        return reply.items[0]

    def top(self, agent: str, limit: int = 20) -> tuple[Item, ...]:
        reply = self.ask(agent, Top(limit))
        assert isinstance(reply, Items)
        return reply.items

    def constraints(self, agent: str) -> tuple[ConstraintView, ...]:
        reply = self.ask(agent, Constraints())
        assert isinstance(reply, ConstraintList)
        return reply.constraints

    def check(self, agent: str, **values: Any) -> tuple[Breach, ...]:
        reply = self.ask(agent, Check(values))
        assert isinstance(reply, Breaches)
        return reply.breaches
