"""Who leads a board: a key in JetStream's key-value layout, with the leader's name for its value.

Laws:

- Every claim is a compare-and-swap: of two hosts that claim at once, one has it.
- A host takes another's key once it has seen it unchanged for ``LEASE`` seconds of its own time. So no two clocks are compared.
- The lease is for liveness alone. That nothing is told twice is the event chain's to hold (``chain``), whoever believes to lead.
"""

import time

from bus.connection import Connection, Nobody
from bus.errors import StreamRefused
from bus.jetstream import EXPECTED_LAST, LEASES, PLACE, WRONG_LAST, lease_subject, leases_stream
from bus.port import LEASE, Claim

_TRIES = 4
"""Times that a claim is begun anew where the key moved under it."""


class Leases:
    """The leases as one connection sees them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._seen: dict[str, tuple[int, float]] = {}
        """Board → its key's number in the stream, and since when it has been that."""

    async def claim(self, board: str, host: str) -> Claim:
        """Have the board's lease, if it can be had; who has it."""
        leader = ""
        for _ in range(_TRIES):
            place, leader = await self._look(board)
            seen, since = self._seen.get(board, (-1, 0.0))
            if seen != place:
                since = time.monotonic()
                self._seen[board] = place, since
            if leader not in {"", host} and time.monotonic() - since < LEASE:
                return Claim(leader, LEASE)
            if await self._swap(board, place, host):
                return Claim(host, LEASE)
        return Claim(leader, LEASE)

    async def resign(self, board: str, host: str, to: str) -> None:
        """Give the lease up, if ``host`` has it."""
        place, leader = await self._look(board)
        if leader == host:
            await self._swap(board, place, to)

    async def _look(self, board: str) -> tuple[int, str]:
        """The key's number in the stream and its value; ``(0, "")`` where there is none."""
        try:
            found = await self._connection.last(LEASES, lease_subject(board), insist=False)
        except Nobody:
            await self._connection.create(LEASES, leases_stream())
            return 0, ""
        return (
            (0, "") if found is None else (int((found.headers or {}).get(PLACE, 0)), found.data.decode(errors="replace"))
        )  # a stranger's, too, is taken once it stands still

    async def _swap(self, board: str, place: int, value: str) -> bool:
        """Put the value where the key is still at ``place``; was it?"""
        try:
            ack = await self._connection.jetstream(lease_subject(board), value.encode(), {EXPECTED_LAST: str(place)}, insist=False)
        except Nobody:
            return False
        except StreamRefused as error:
            if error.code not in WRONG_LAST:
                raise
            return False
        self._seen[board] = int(ack["seq"]), time.monotonic()
        return True
