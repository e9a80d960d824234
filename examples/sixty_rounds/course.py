"""The course of the conversation, in any language: what is noted when, and how strongly (chapter 2, "The sixty-round assistant").

Law: a script says things in its own words; what is noted when, and what becomes of it, is here and the same for all.

A model would decide what to note. Here it is written down, so that every run is the same.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import Struct

ROUNDS = 60


class Turn(NamedTuple):
    """One round of the conversation."""

    said: str
    """By the user."""
    answered: str
    """By the assistant."""


class Script(Struct, frozen=True, kw_only=True):
    """A conversation of this course in one language."""

    language: str
    turns: tuple[Turn, ...]
    """Of the rounds 1 to 60; what the user says in the last one is the question that the memories are compared by."""
    notes: Mapping[str, str]
    """How each note of the course is worded, by its name."""
    cat_question: str
    """What is asked after it."""
    marks: Mapping[str, str]
    """Where these words stand, a reader knows the note. Generous: it need not be the note's own wording."""
    vaguely: Mapping[str, str]
    """Where only these words stand, he knows that there was something."""


class Keep(Struct, frozen=True):
    """Deposit a note: its name in the script, its kind, and its strength if it is not its kind's own."""

    note: str
    kind: str = "fact"
    strength: float | None = None
    key: str | None = None
    value: Any = None
    hard: bool = False


class Confirm(Struct, frozen=True):
    """A note still holds: it was mentioned again."""

    note: str


class Link(Struct, frozen=True):
    """Two notes have to do with each other."""

    note: str
    other: str


Act = Keep | Confirm | Link

COURSE: Mapping[int, tuple[Act, ...]] = {
    1: (Keep("weather", "tool_result", key="weather"),),
    2: (
        Keep("cat", strength=4.0, key="cat"),
        Keep("chocolate", "constraint", strength=8.0, key="cat", hard=True),
        Link("cat", "chocolate"),
    ),
    4: (Keep("coffee", "state"),),
    5: (Keep("coupon", "state", strength=2.3, key="coupon"),),
    7: (Keep("printing", "state"),),
    8: (Keep("meeting", strength=5.0, key="meeting"),),
    9: (Keep("spare key", key="flat"),),
    10: (Confirm("meeting"),),
    12: (Confirm("meeting"),),
    13: (Keep("birthday", strength=5.0, key="sister"),),
    15: (Keep("pottery", key="sister"), Link("birthday", "pottery")),
    17: (Keep("bill", "tool_result", key="flat"),),
    18: (Keep("train", "slot", key="train", value="G7301"),),
    19: (Keep("aisle", "preference", key="train"), Link("train", "aisle")),
    20: (Keep("hotel", "constraint", key="hotel"), Link("train", "hotel")),
    23: (Keep("coriander", "preference", strength=6.0, key="food"),),
    26: (Keep("shoes", key="shoes"),),
    28: (Keep("gym", key="gym"),),
    29: (Confirm("coriander"),),
    30: (Keep("refund", "state"),),
    31: (Keep("shedding", strength=4.0, key="cat"), Confirm("cat"), Link("cat", "shedding")),
    33: (Keep("film", key="film"),),
    35: (Keep("ride", key="office"),),
    36: (Keep("parking", "tool_result", key="office"),),
    37: (Keep("later train", "slot", key="train", value="G7305"),),
    39: (Keep("bicycle", key="bicycle"),),
    41: (Keep("library", key="library"),),
    42: (Keep("passport", key="passport"),),
    44: (Keep("air", "tool_result", key="weather"),),
    45: (Keep("plants", key="flat"), Link("plants", "spare key")),
    48: (Keep("plumber", key="flat"),),
    51: (Keep("phone plan", key="mum"),),
    54: (Keep("guitar", key="guitar"),),
    57: (Keep("haircut", key="haircut"),),
}
