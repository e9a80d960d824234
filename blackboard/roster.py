"""The hosts of one board, as one of them hears of them. Time is an argument, in seconds of any clock that never goes back.

Laws:

- Whom the board should be led by is computed from the names (rendezvous hashing): with many boards, each host has its share, and one host
  more or less moves no more of them than it must.
- A host gives a board up only to one that has been there for a while, is abreast, and is well.
"""

import hashlib

from msgspec import Struct

from bus.messages import Beat, HostState

SILENT = 3.0
"""Seconds without a beat after which a host is not counted on."""
FORGOTTEN = 60.0
"""Seconds without a beat after which a host holds up no cut: one that comes back later begins with a snapshot."""
SETTLED = 5.0
"""Seconds that a host must have been abreast before it is given the lead."""
ABREAST = 1000
"""Entries that a host may be behind and still be abreast: it will have them in a moment."""


class _Known(Struct):
    beat: Beat
    heard: float
    abreast_since: float


class Roster:
    """Who hosts the board ``board`` beside ``host``."""

    def __init__(self, board: str, host: str, life: str = "") -> None:
        self._board = board
        self._host = host
        self._life = life
        self._namesake = ("", 0.0)
        """The life under this host's name that was heard last, and since when."""
        self._known: dict[str, _Known] = {}

    def doubled(self, beat: Beat, age: float, now: float) -> bool:
        """Is this the word of another host of this one's name, which has been there longer than this one, for ``age`` seconds?

        What a former life of this one has said may come late, but does not go on coming.
        """
        if beat.host != self._host or beat.joins or beat.life == self._life or beat.age <= age:
            return False
        life, since = self._namesake
        if life != beat.life:
            self._namesake = beat.life, now
            return False
        return now - since >= SILENT

    def hear(self, beat: Beat, cursor: int, now: float) -> None:
        """Take in a host's word, ``cursor`` being where this one stands."""
        if beat.host == self._host:
            return
        abreast = beat.cursor >= cursor - ABREAST and not beat.trouble and not beat.joins
        former = self._known.get(beat.host)
        since = former.abreast_since if former is not None and now - former.heard < SILENT else now
        self._known[beat.host] = _Known(beat, now, since if abreast else now)

    def favourite(self, now: float, *, well: bool = True) -> str:
        """Who should lead: this host, or another that could at once. ``well``: could this one go on?"""
        able = [
            each.beat.host
            for each in self._known.values()
            if now - each.heard < SILENT and now - each.abreast_since >= SETTLED and not each.beat.trouble
        ]
        return max((*able, self._host) if well or not able else able, key=self._weight)

    def least(self, cursor: int, now: float) -> int:
        """The entry that every host has passed, this one, at ``cursor``, included."""
        return min((cursor, *(each.beat.cursor for each in self._present(now) if not each.beat.joins)))

    def clean(self, now: float) -> int:
        """The entry up to which another host has seen to it that nothing is left of what was erased."""
        return max((each.beat.clean for each in self._present(now)), default=0)

    def accompanied(self, now: float) -> bool:
        """Is there any other host?"""
        return bool(self._present(now))

    def joining(self, now: float) -> bool:
        """Does a host wait for a snapshot?"""
        return any(each.beat.joins for each in self._present(now) if now - each.heard < SILENT)

    def states(self, cursor: int, now: float) -> tuple[HostState, ...]:
        """How each other host stands to this one, which is at ``cursor``, by name. One that is silent leads no more."""
        return tuple(
            HostState(
                host=name, leads=each.beat.leads and now - each.heard < SILENT, behind=max(cursor - each.beat.cursor, 0),
                silent=round(max(now - each.heard, 0.0), 1), trouble=each.beat.trouble, joins=each.beat.joins,
            )
            for name, each in sorted(self._known.items())
            if now - each.heard < FORGOTTEN
        )  # fmt: skip

    def _present(self, now: float) -> list[_Known]:
        return [each for each in self._known.values() if now - each.heard < FORGOTTEN]

    def _weight(self, host: str) -> bytes:
        return hashlib.blake2b(f"{self._board}/{host}".encode(), digest_size=8).digest()
