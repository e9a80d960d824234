"""What was chosen for a prompt, and what was not, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from blackboard.context.greedy import Reason
from blackboard.context.pieces import Message, Piece

Why: TypeAlias = Literal["newest", "protected", "relevant"]
WhyNot: TypeAlias = Reason | Literal["not relevant", "a tool call without its result"]


class Chosen(NamedTuple):
    """A piece that is in."""

    piece: Piece
    why: Why
    relevance: float
    """To the query, 0 … 1."""
    gain: float
    """What it added to the value of those that were taken before it."""


class LeftOut(NamedTuple):
    """A piece that is not in."""

    piece: Piece
    why: WhyNot


@dataclass(frozen=True, kw_only=True)
class Selection:
    """A part of a history, for a prompt."""

    chosen: tuple[Chosen, ...] = ()
    """In the order of the prompt."""
    text: str = ""
    """The prompt as one text: a line break between pieces."""
    messages: tuple[Message, ...] = ()
    """The same as chat messages; what was no message is said by the user."""
    tokens: int = 0
    """Of what was chosen, counted as it is handed over."""
    total: int
    """Of all pieces."""
    value: float = 0.0
    """F of what was chosen: 0 … Σλ, that of all candidates."""
    kept: bool = False
    """Is it what was chosen for an earlier query, since the topic has not moved?"""
    note: str = ""
    """Why nothing was chosen."""
    pieces: Sequence[Piece] = field(repr=False)
    """All there were to choose from."""
    reasons: Mapping[int, WhyNot | None] = field(repr=False)
    """Of each that was considered, by its number, why it is not in; ``None``: it is."""

    @property
    def left_out(self) -> list[LeftOut]:
        """All that is not in, in order."""
        reasons = ((piece, self.reasons.get(number, "not relevant")) for number, piece in enumerate(self.pieces))
        return [LeftOut(piece, why) for piece, why in reasons if why is not None]

    @property
    def compression(self) -> float:
        """The share of all tokens that was saved: 0 … 1."""
        return max(0.0, 1 - self.tokens / self.total) if self.total else 0.0
