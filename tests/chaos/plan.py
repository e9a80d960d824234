"""What a run of chaos does: everything about it follows from these figures, but the moments at which the machine lets it happen."""

import random
from collections.abc import Iterator
from typing import Literal, get_args

from msgspec import Struct

from bus.messages import Time

Victim = Literal["agent", "subscriber", "host", "broker"]
Fault = Literal["cut", "slow", "deaf", "mute", "hole"]
Way = Literal["frozen", "deaf", "mute", "hole", "ended"]

KILLED: dict[Victim, int] = {"agent": 35, "subscriber": 10, "host": 30, "broker": 25}
"""How often each is the one that is killed, in a hundred kills."""
AWAY = 4.0
"""Seconds for which a server that is killed is away at most; others return sooner."""
FAULTS: tuple[Fault, ...] = ("cut", "cut", "slow", "deaf", "mute", "hole")


class Plan(Struct, frozen=True, kw_only=True):
    """A run. ``nodes``: servers, 1 or a cluster; ``hosts`` serve all ``boards``; agents and subscribers are spread over the boards.

    ``observations`` is the least that must be accepted, each unit counted as one, although some have two or three.
    """

    seed: int = 1
    kills: int = 200
    observations: int = 200_000
    nodes: int = 1
    hosts: int = 1
    boards: int = 1
    time: Time = "rounds"
    agents: int = 6
    subscribers: int = 3
    journal: int = 5_000_000
    """Entries of a log after which it is cut."""
    checkpoint: int = 5_000
    """Entries and changes between two checkpoints of a host."""
    rate: float = 0.0
    """Observations a second that an agent may say; 0: as many as it likes."""
    pause: float = 1.5
    """Seconds between two blows, on average."""
    longest_freeze: float = 5.0
    """Seconds for which a process or a line is frozen at most: longer than a lease."""


class Kill(Struct, frozen=True):
    """SIGKILL for the ``which``-th of those that run (modulo how many they are); it is started again ``down`` seconds later.

    ``wipe``: if it is a host, and another one has all boards, its disk is lost, too.
    """

    victim: Victim
    which: int
    down: float
    wipe: bool = False


class Freeze(Struct, frozen=True):
    """SIGSTOP for a process, and SIGCONT some seconds later."""

    victim: Victim
    which: int
    seconds: float


class Break(Struct, frozen=True):
    """A fault of a line between a client and the server."""

    fault: Fault
    which: int
    seconds: float


class Depose(Struct, frozen=True):
    """The host that leads the ``which``-th board is frozen, or cut off, for so many seconds, or asked to end and started again."""

    how: Way
    which: int
    seconds: float


class Blow(Struct, frozen=True):
    """What happens ``after`` so many seconds, ``aim`` seconds after agents, or the one that it hits, have something to say; and the kills
    done with it.
    """

    after: float
    aim: float
    what: Kill | Freeze | Break | Depose
    kills: int


def blows(plan: Plan) -> Iterator[Blow]:
    """The schedule: ``plan.kills`` kills, and between them what does not kill."""
    dice = random.Random(plan.seed)
    kills = 0
    while kills < plan.kills:
        after, aim, which = dice.uniform(0.2, 2 * plan.pause - 0.2), 0.03 * dice.random() ** 2, dice.randrange(1 << 16)
        roll = dice.random()
        if roll < 0.65:
            [victim] = dice.choices(list(KILLED), list(KILLED.values()))
            down = dice.choice((0.0, dice.uniform(0.0, AWAY if victim == "broker" else 1.5)))
            kills += 1
            yield Blow(after, aim, Kill(victim, which, down, dice.random() < 0.3), kills)
            if victim == "broker" and down and kills < plan.kills:  # what an agent says meanwhile is nowhere but with it
                kills += 1
                yield Blow(down / 2, 0.0, Kill("agent", dice.randrange(1 << 16), 0.0), kills)
        elif roll < 0.75:
            victim = dice.choice(("host", "host", "broker", "agent", "subscriber"))
            yield Blow(after, aim, Freeze(victim, which, dice.uniform(0.5, plan.longest_freeze)), kills)
        elif roll < 0.9:
            yield Blow(after, aim, Break(dice.choice(FAULTS), which, dice.uniform(0.2, plan.longest_freeze)), kills)
        else:
            yield Blow(after, aim, Depose(dice.choice(get_args(Way)), which, dice.uniform(0.5, plan.longest_freeze)), kills)
