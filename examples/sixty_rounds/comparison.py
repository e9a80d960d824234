"""What each of the three memories knows when the question comes, and what that costs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from blackboard.tokens import count_tokens
from bus.messages import Assembled
from examples.sixty_rounds.course import ROUNDS, Script
from examples.sixty_rounds.memories import EVERY, SIZE, WINDOW, summarised, window

QUESTIONS = {
    "meeting": "the meeting, with its exact time",
    "coriander": "no coriander",
    "chocolate": "never chocolate (hard)",
    "cat": "the cat's name",
    "coupon": "the coupon",
}
"""What is looked for in each memory: a note → what it is about."""
HEADINGS = ("", f"window of the last {WINDOW} turns", f"a summary every {EVERY} turns ({SIZE} tokens)", "this network")


class Row(NamedTuple):
    """One thing that is looked for, or what it all costs."""

    what: str
    window: str
    summary: str
    network: str


def compare(script: Script, strengths: Mapping[str, Mapping[int, float]], section: Assembled, asked: Assembled) -> list[Row]:
    """The table. ``strengths``: of each note, round → strength; ``section``: assembled for the question, ``asked``: for the cat's name."""
    earlier = script.turns[:-1]
    by_window, by_summary = window(earlier), summarised(earlier)
    rows = [
        Row(what, known(script, note, by_window), known(script, note, by_summary), recalled(script, note, strengths[note], section, asked))
        for note, what in QUESTIONS.items()
    ]
    costs = *(f"{count_tokens(text)} tokens" for text in (by_window, by_summary)), f"{section.tokens} tokens"
    return [*rows, Row("what it costs", *costs)]


def known(script: Script, note: str, memory: str) -> str:
    """What somebody knows of a note who has read ``memory``."""
    if script.marks[note] in memory:
        return "there"
    if note == "coupon":
        return "–"
    return "something in the afternoon" if note in script.vaguely and script.vaguely[note] in memory else "lost"


def recalled(script: Script, note: str, strengths: Mapping[int, float], section: Assembled, asked: Assembled) -> str:
    """What the network does about a note, and how strong that is."""
    if (last := max(strengths)) < ROUNDS:
        return f"faded at round {last + 1}" + ("" if script.marks[note] in section.text + asked.text else ", not recalled")
    ways = {"assembled": section, "found when asked for": asked}
    return next((f"{way} ({strengths[ROUNDS]:.2f})" for way, found in ways.items() if script.marks[note] in found.text), "not found")


def table(rows: Sequence[Row]) -> str:
    """Rows in columns."""
    lines = [HEADINGS, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)
