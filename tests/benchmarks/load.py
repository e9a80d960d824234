"""What the benchmarks put on a board: mixed kinds and keys, and the mix of 90 % reinforcements and 10 % deposits.

Everything is drawn from a seed, so each run of a pair does the same work.
"""

import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from blackboard.board import Board
from blackboard.config import BoardConfig
from blackboard.entry import Entry
from blackboard.wire import from_deposit
from bus.messages import AnyObservation, Deposit, EndRound, Post, Reinforce, encode

BOARD = "bench"
AGENTS = ("finance", "procurement", "schedule", "travel")
KINDS = ("fact", "preference", "tool_result", "state", "trace")
UNITS = 200
"""Units of one observation in a post."""
KEYS = 1_000
RULES = 20
"""Hard constraints with a predicate: on the first keys."""
SETTLED = 4
"""Rounds after which nothing is protected."""


def rules() -> list[Deposit]:
    """Predicates that the values of the load keep."""
    return [
        Deposit(f"key {i} stays low", kind="constraint", key=f"key-{i}", op="<=", value=10_000, hard=True, scope="shared")
        for i in range(RULES)
    ]


def deposits(n: int, *, first: int = 0, strongest: float = 100.0) -> Iterator[Deposit]:
    """``n`` shared items, of ~80 bytes of text, kinds and keys mixed; one in five says a value, that of a slot of its own.

    Their strengths are drawn between half of ``strongest`` and that, far from where they fade.
    """
    rng = random.Random(first)
    for i in range(first, first + n):
        says = i % 5 == 0
        yield Deposit(
            f"observation {i:>9}: the supplier of part {i % 977} quotes for lot {i % 89}, to be confirmed",
            kind="fact" if says else KINDS[i % len(KINDS)],
            key=f"key-{i % KEYS}",
            target=f"target-{i}" if says else None,
            value=i % 10_000 if says else None,
            strength=strongest * rng.uniform(0.5, 1.0),
            scope="shared",
        )


def _with(contents: Sequence[str], said: Iterable[Deposit]) -> Iterator[Deposit]:
    return (replace(each, content=content) for each, content in zip(said, contents, strict=True))


def ids(said: list[Deposit]) -> list[str]:
    """The ids of shared items."""
    return [from_deposit(each, AGENTS[0]).identify(BOARD) for each in said]


def mix(targets: list[str], n: int, *, seed: int) -> list[AnyObservation]:
    """``n`` observations: nine of ten reinforce one of ``targets``, evenly drawn; one deposits something new."""
    rng = random.Random(seed)
    fresh = deposits(n, first=10_000_000 * (seed + 1))
    return [next(fresh) if rng.random() < 0.1 else Reinforce(rng.choice(targets), rng.uniform(0.1, 1.0)) for _ in range(n)]


def packed(observations: list[AnyObservation], epoch: str) -> list[bytes]:
    """Posts of ``UNITS`` units, encoded."""
    units = [(each,) for each in observations]
    return [encode(Post(epoch, i // UNITS + 1, tuple(units[i : i + UNITS]))) for i in range(0, len(units), UNITS)]


class Loaded:
    """A board that holds ``n`` items and its rules, from entries that all bear the number 1, some rounds on.

    (Where that board is kept, its log has one entry.) With ``contents`` the items share these very texts.
    """

    def __init__(self, n: int, *, strongest: float = 100.0, contents: Sequence[str] | None = None) -> None:
        self.board = Board(BoardConfig(name=BOARD))
        self._posts = 0
        self.say(AGENTS[0], rules())
        said = deposits(n, strongest=strongest) if contents is None else _with(contents, deposits(n, strongest=strongest))
        while some := list(islice(said, UNITS)):
            self.say(AGENTS[self._posts % len(AGENTS)], some)
        self.rounds(SETTLED)

    def ids(self) -> list[str]:
        """The ids of all but the rules."""
        return [item.id for item in self.board._network.all_items()[RULES:]]

    def say(self, agent: str, said: Sequence[AnyObservation]) -> None:
        """One entry, a unit for each."""
        self._posts += 1
        self.board.apply(Entry(1, 0.0, agent, "load", self._posts, tuple((each,) for each in said)))

    def taken(self) -> None:
        """Take what changed, as a host does every few thousand changes for a checkpoint."""
        for part in (self.board.ahead, self.board.take):
            deque(part(), maxlen=0)

    def rounds(self, n: int) -> None:
        """Let ``n`` rounds pass."""
        for _ in range(n):
            self.say(AGENTS[0], [EndRound(int(self.board.now))])
