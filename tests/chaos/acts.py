"""What agents say on a board of chaos, so that afterwards everything can be told from everything else.

Laws:

- Every unit is another: a delta or a content in it bears the number of the unit. So it can be counted how often each was applied.
- Deltas are multiples of ``GRAIN``, and *ledger* items do not fade: their sums are exact, whatever the order.
- *claim* items fade by rounds, and can be computed anew; notes are private, fold, are shared and withdrawn: they are compared as a whole.
- Where time is a clock's, *sparks* fade within seconds, so that there is always something due.
- Nothing is said that a board refuses.
"""

import json
from random import Random

from msgspec.structs import replace

from blackboard.kinds import Policy, policy, table
from blackboard.wire import from_deposit
from bus.messages import Confirm, Deposit, EndRound, Link, Reinforce, Retract, Share, Time, Unit

GRAIN = 2.0**-20
LEDGERS = tuple(Deposit(f"ledger {n}", kind="ledger", key=f"ledger-{n}", scope="shared") for n in range(8))
CLAIMS = tuple(Deposit(f"claim {n}", kind="claim", key=f"claim-{n}", scope="shared") for n in range(16))
KINDS: dict[str, Policy] = {
    "ledger": policy("ledger", initial=8.0, rate=0.0),
    "claim": policy("claim", initial=4.0, rate=0.02),
    "spark": policy("spark", initial=2.0, half_life=1.0, protect=0.5, then="discard"),
}
WEIGHTS = (90, 50, 16, 8, 16, 4, 8, 7, 1)
LATEST = 20
"""So many of an agent's own notes are new enough that they have not faded."""


def kinds_file(time: Time) -> str:
    """The kinds as ``pheroboard up --kinds`` takes them; by the second claims fade so slowly that none does within a run."""
    kinds = {**KINDS, "claim": replace(KINDS["claim"], rate=1e-6)} if time == "wall" else KINDS
    return "".join(
        f"[kinds.{name}]\n" + "".join(f"{setting} = {json.dumps(value)}\n" for setting, value in table(kind).items())
        for name, kind in kinds.items()
    )


def id_of(said: Deposit, agent: str, board: str) -> str:
    """The id of what is deposited so."""
    return from_deposit(said, agent).identify(board)


class Acts:
    """What one agent says on ``board``, unit after unit."""

    def __init__(self, board: str, agent: str, seed: int, time: Time = "rounds") -> None:
        self._board = board
        self._agent = agent
        self._seed = seed
        self._time = time
        self._ledgers = [id_of(each, agent, board) for each in LEDGERS]
        self._claims = [id_of(each, agent, board) for each in CLAIMS]
        self._notes: list[str] = []
        self.reinforced = dict.fromkeys(self._ledgers, 0)
        """Ledger item → how often it was reinforced for certain."""

    def unit(self, n: int, now: int) -> Unit:
        """The ``n``-th unit, in round ``now``."""
        dice = Random(f"{self._seed}/{self._agent}/{n}")  # the same again, whenever the agent was killed before
        delta = (n + 1) * GRAIN
        tally = Reinforce(dice.choice(self._ledgers), delta)
        claim = dice.choice(self._claims)
        latest = self._notes[-LATEST:]
        match dice.choices(range(9), WEIGHTS)[0]:
            case 1:
                return (Reinforce(claim, 0.25 + delta),)
            case 2:
                return (Confirm(claim), tally)
            case 3:
                return (dice.choice(CLAIMS), tally)
            case 4:
                return (Deposit(f"{self._agent} notes {n}", key=f"topic-{n % 5}"), tally)
            case 5:
                return (tally, Confirm(claim), tally)
            case 6 if latest:
                return (Link(dice.choice(latest), claim), tally)
            case 7 if latest:
                note = dice.choice(latest)
                return (dice.choice((Share, Retract))(note), tally)
            case 8 if self._time == "rounds":
                return (tally, EndRound(now))
            case 8:
                return (Deposit(f"{self._agent} sparks {n}", kind="spark", scope="shared"),)
            case _:
                return (tally,)

    def said(self, unit: Unit) -> None:
        """It is under way: what it takes from the notes is not named again, whether it arrives or not."""
        for each in unit:
            if isinstance(each, Share | Retract):
                self._notes.remove(each.item)

    def accepted(self, unit: Unit) -> None:
        """It counts: its notes may be named."""
        for each in unit:
            if isinstance(each, Deposit) and each.scope == "private":
                self._notes.append(id_of(each, self._agent, self._board))
            elif isinstance(each, Reinforce) and each.item in self.reinforced:
                self.reinforced[each.item] += 1
