"""What a host says on its own board."""

import secrets
from functools import partial

from blackboard.progress import Progress
from blackboard.trying import persistently
from bus import names
from bus.messages import Post, Unit, encode
from bus.port import Bus


class Voice:
    """One post after the other on the board ``name``, each once the one before is applied."""

    def __init__(self, name: str, bus: Bus, progress: Progress) -> None:
        self._name = name
        self._bus = bus
        self._progress = progress
        self._epoch, self._number = secrets.token_hex(8), 0

    async def say(self, *units: Unit) -> None:
        """Return once they are applied."""
        self._number += 1
        post = encode(Post(self._epoch, self._number, units))
        await persistently(partial(self._bus.publish, self._name, names.HOST, post))
        await self._progress.until(partial(self._progress.has, names.HOST, self._epoch, self._number))
