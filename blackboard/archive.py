"""What items say that do not stand: kept apart from them, so that memory and checkpoints are for what stands (chapter 2, "Forgetting is
three things").

Laws:

- What a record says never changes, and its ordinal is never given to another. So what is looked up by an ordinal is the same at any time,
  and the fold stays deterministic although it looks.
- What was put in is found at once, written or not: until its batch is, the archive holds it itself.
- What left (it stands again, or is gone) stays on the shelf until a cut goes past that: an older checkpoint, or the origin, still needs it.
"""

from collections.abc import Collection, Mapping
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from blackboard.errors import Damaged

Said = tuple[str, Mapping[str, Any]]
"""Content and ``meta``."""

_decode = msgspec.msgpack.Decoder(tuple[str, dict[str, Any]]).decode


class Shelf(Protocol):
    """Where an archive lies that is not in memory alone."""

    def said(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        """What lies there of these items, at once: by their ordinals, as the archive gave it."""
        ...


class Unwritten(Struct, frozen=True):
    """What is yet to be written to the shelf."""

    came: Mapping[int, bytes] = {}
    """Ordinal → what the item says, encoded; also of one that was there, and left."""
    left: Collection[int] = ()
    """Ordinals of what left, and was not put in again."""


class Archive:
    """What items say, by their ordinals. Without a ``shelf`` all of it is in memory, as it was given."""

    def __init__(self, shelf: Shelf | None = None) -> None:
        self._shelf = shelf
        self._came: dict[int, Said] = {}
        self._left: set[int] = set()

    def put(self, ordinal: int, said: Said) -> None:
        """Keep what an item says."""
        self._came[ordinal] = said
        self._left.discard(ordinal)

    def take(self, ordinal: int) -> Said:
        """What the item says, which is not to be kept any longer. Raises ``Damaged``."""
        said = self.look(ordinal)
        self._came.pop(ordinal, None)
        if self._shelf is not None:
            self._left.add(ordinal)
        return said

    def look(self, ordinal: int) -> Said:
        """What the item says. Raises ``Damaged`` if that is not there."""
        return self.look_all((ordinal,))[ordinal]

    def look_all(self, ordinals: Collection[int]) -> Mapping[int, Said]:
        """What these items say, with one look at the shelf. Raises ``Damaged``."""
        found = {each: self._came[each] for each in ordinals if each in self._came}
        missing = [each for each in ordinals if each not in found]
        if missing and self._shelf is not None:
            found.update((each, _decode(data)) for each, data in self._shelf.said(missing).items())
        if len(found) < len(ordinals):
            lost = next(each for each in missing if each not in found)
            raise Damaged(f"the archive does not have what item number {lost} says: restore a backup")
        return found

    def unwritten(self) -> Unwritten:
        """What came and left since ``written`` was called last."""
        came = {each: msgspec.msgpack.encode((content, dict(meta))) for each, (content, meta) in self._came.items()}
        return Unwritten(came, tuple(self._left))

    def written(self) -> None:
        """All that is on the shelf now."""
        self._came.clear()
        self._left.clear()
