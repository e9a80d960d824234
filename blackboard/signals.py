"""How a signal is made: what it says of its item, and how much it quotes."""

from typing import Any

from msgspec.json import encode

from blackboard.items import ContextItem
from bus.messages import Evidence, Signal

MAX_QUOTED = 500
"""Characters of a content or a value that a signal quotes."""
MAX_NAMED = 100
"""Agents that a signal names."""
BOARD = "board/1"
"""Stands for the detector of what the board itself notices: contests and broken constraints."""


def about(item: ContextItem, name: str, t: float, evidence: Evidence, *, reason: str = "", detector: str = BOARD) -> Signal:
    """The signal ``name`` about an item, raised at ``t``."""
    return Signal(
        signal=name, item=item.id, kind=item.kind, key=item.key, target=item.target, content=excerpt(item.content), reason=reason,
        strength=item.strength, t=t, detector=detector, evidence=evidence,
    )  # fmt: skip


def excerpt(text: str) -> str:
    """As much of a text as a signal quotes."""
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 1] + "…"


def named(agents: dict[str, Any]) -> tuple[str, ...]:
    """The agents that a signal names."""
    return tuple(sorted(agents)[:MAX_NAMED])


def quoted(values: dict[str, Any]) -> dict[str, Any]:
    """Agents and what they assert, as much as a signal quotes of it: large values as the beginning of their text."""
    shown = {}
    for agent in named(values):
        text = encode(values[agent])
        shown[agent] = values[agent] if len(text) <= MAX_QUOTED else excerpt(text.decode())
    return shown
