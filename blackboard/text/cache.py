"""Analyses of texts, kept so that none is made twice: not even by the next process.

Laws:

- It is a cache. What is not in it, not whole, of another text than the item's, or by other rules than today's, is made anew; so losing
  it costs time alone, and no answer depends on it.
- An analysis tells what a text says. So it leaves with its item, and with the words that the item had.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from typing import Protocol
from zlib import crc32

import msgspec

from blackboard.archive import Unwritten
from blackboard.text.analysis import VERSION, Analysis, Text, analyse

AT_ONCE = 1024
"""Analyses that are looked up, or written, together."""
MOST = 1 << 16
"""Unwritten ones that are held, at most; what else is analysed meanwhile is so again by the next process."""
_DIGEST = 12
"""Bytes that tell one text from another."""
_CHECK = 4
"""Bytes that tell a row that is whole."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Analysis).decode


class AnalysisShelf(Protocol):
    """Where analyses are kept."""

    def analysed(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        """What is kept of these items, at once: by their ordinals, as the cache gave it."""
        ...


class AnalysisCache:
    """The analyses of items' texts, by the items' ordinals. Without a ``shelf`` none is kept."""

    def __init__(self, shelf: AnalysisShelf | None = None) -> None:
        self._shelf = shelf
        self._came: dict[int, bytes] = {}
        self._left: set[int] = set()

    def analyses(self, texts: Iterable[tuple[int, Text]]) -> Iterator[Analysis]:
        """What each of these (ordinal, text) comes to, in order."""
        if self._shelf is None:
            yield from (analyse(text) for _, text in texts)
            return
        rest = iter(texts)
        while some := list(islice(rest, AT_ONCE)):
            kept = self._shelf.analysed([ordinal for ordinal, _ in some if ordinal not in self._left])
            for ordinal, text in some:
                digest = _digest(text)
                found = _whole(self._came.get(ordinal) or kept.get(ordinal, b""), digest)
                if found is None:
                    found = analyse(text)
                    self._keep(ordinal, digest, found)
                yield found

    def drop(self, ordinal: int) -> None:
        """An item is gone, or its text is no longer what it was."""
        self._came.pop(ordinal, None)
        if self._shelf is not None:
            self._left.add(ordinal)

    def is_due(self) -> bool:
        """Is there so much to be written that it should be now?"""
        return len(self._came) >= AT_ONCE

    def take(self) -> Unwritten:
        """What is to be written since this was called last."""
        came, self._came = self._came, {}
        left, self._left = self._left, set()
        return Unwritten(came, tuple(left))

    def _keep(self, ordinal: int, digest: bytes, analysis: Analysis) -> None:
        if len(self._came) < MOST:
            data = _encode(analysis)
            self._came[ordinal] = digest + crc32(data).to_bytes(_CHECK) + data
            self._left.discard(ordinal)


def _digest(text: Text) -> bytes:
    return blake2b(_encode((VERSION, *text)), digest_size=_DIGEST).digest()


def _whole(row: bytes, digest: bytes) -> Analysis | None:
    """The analysis that a row holds, if it is one of this text."""
    data = row[_DIGEST + _CHECK :]
    if row[:_DIGEST] != digest or row[_DIGEST : _DIGEST + _CHECK] != crc32(data).to_bytes(_CHECK):
        return None
    return _decode(data)
