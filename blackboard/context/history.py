"""What is known of a history, before anything is asked of it.

Laws: a history grows at its end, and an entry does not change once it was given; so each is looked at once. One that does not begin as the
last one did is a new one. A tool call whose results may still come waits for them.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from blackboard.context.chunkers import Chunker
from blackboard.context.costs import cost
from blackboard.context.pieces import Entry, Piece, pieces_of
from blackboard.context.relevance import Relevance
from blackboard.context.selection import WhyNot
from blackboard.tokens import TokenCounter


class History:
    """The pieces of a history, by number, and what each costs, protects and overturns."""

    def __init__(self, chunker: Chunker, relevance: Relevance, counter: TokenCounter, protects: Callable[[str], bool]) -> None:
        self._chunker = chunker
        self._counter = counter
        self._protects = protects
        self.relevance = relevance
        self.entries: list[Entry] = []
        """Those that were looked at, and do not change."""
        self.pieces: list[Piece] = []
        self.origins: list[int] = []
        """The entry that each piece is of, or that it begins with."""
        self.parts: Counter[int] = Counter()
        """Into how many pieces an entry was cut."""
        self.tokens: list[int] = []
        self.waiting: Piece | None = None
        """A tool call at the end whose results are not all there."""
        self.sacred: list[int] = []
        """Those that were said to be protected, or are instructions to the model."""
        self.protected: list[int] = []
        """Those that are so by what they say."""
        self._numbers: dict[str, list[int]] = {}
        self._overturned: dict[str, str] = {}
        """What was overturned → what overturned it last, as ids: either may be yet to come."""
        self.summaries: list[int] = []
        self._unsendable: list[int] = []

    def is_continued_by(self, entries: Sequence[Entry]) -> bool:
        return len(entries) >= len(self.entries) and list(entries[: len(self.entries)]) == self.entries

    def follow(self, entries: Sequence[Entry]) -> None:
        """Look at what has come since."""
        self.waiting = None
        fresh: list[Piece] = []
        start = len(self.entries)
        for end, piece in pieces_of(entries, start):
            if end == len(entries) and piece.messages and not piece.whole:
                self.waiting = piece
                break
            for part in self._chunker(piece) if piece.whole and not piece.protected else (piece,):
                self._note(part, start)
                fresh.append(part)
            self.entries.extend(entries[start:end])
            start = end
        self.relevance.add(fresh)

    def _note(self, piece: Piece, origin: int) -> None:
        number = len(self.pieces)
        self.pieces.append(piece)
        self.origins.append(origin)
        self.parts[origin] += 1
        self.tokens.append(cost(piece, self._counter))
        self._numbers.setdefault(piece.id, []).append(number)
        for old in piece.supersedes:
            self._overturned[old] = piece.id
        if not piece.whole:
            self._unsendable.append(number)
            return
        if piece.summarises:
            self.summaries.append(number)
        if piece.protected:
            self.sacred.append(number)
        elif piece.protected is None and len(piece.messages) < 2 and self._protects(piece.text):
            self.protected.append(number)

    def numbers(self, name: str) -> Sequence[int]:
        """The pieces of an id: one, unless it was cut."""
        return self._numbers.get(name, ())

    def overturned(self) -> dict[int, int]:
        """What was overturned → what overturned it: numbers. A piece that was cut overturns by its first part."""
        return {
            old: self._numbers[new][0]
            for name, new in self._overturned.items()
            if new in self._numbers and new != name
            for old in self.numbers(name)
        }

    def newest(self) -> list[int]:
        """The pieces of the last entry that can be sent."""
        found: list[int] = []
        for number in reversed(range(len(self.pieces))):
            if found and self.origins[number] != self.origins[found[0]]:
                break
            if self.pieces[number].whole:
                found.append(number)
        return found[::-1]

    def shown(self) -> list[Piece]:
        """All pieces there are for whoever asks, with the tool call that waits."""
        return [*self.pieces, self.waiting] if self.waiting else self.pieces[:]

    def unanswered(self) -> dict[int, WhyNot | None]:
        """The tool calls without results, which cannot be sent."""
        return dict.fromkeys([*self._unsendable, *([len(self.pieces)] if self.waiting else [])], "a tool call without its result")
