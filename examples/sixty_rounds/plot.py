"""The strengths of the notes, drawn over the rounds."""

from pathlib import Path
from typing import TYPE_CHECKING

from agents import plot
from agents.plot import Curves
from examples.sixty_rounds.course import ROUNDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {"meeting": "tab:blue", "coriander": "tab:green", "chocolate": "tab:red", "cat": "tab:purple", "coupon": "tab:orange"}
"""Of the notes that the chapter speaks of; the others are grey."""


def figure(curves: Curves) -> "Figure":
    """A line for each note, under its name; those of the chapter in colour."""
    faded = {note: f"{note}, faded at round {max(curve) + 1}" for note, curve in curves.items() if max(curve) < ROUNDS}
    title = "How strong the notes of the conversation are (grey: those of other topics)"
    drawn = plot.figure(curves, title=title, values="strength", told=COLOURS, ends=faded)
    [axes] = drawn.axes
    axes.set(xlim=(0, ROUNDS + 10), ylim=(0, 9))
    axes.axhline(1.0, color="black", linewidth=0.8, linestyle=":")
    axes.annotate("what falls below this line fades", (1, 1.0), (0, -4), textcoords="offset points", va="top")
    return drawn


def save(curves: Curves, path: Path) -> None:
    """Draw them into a PNG file."""
    plot.save(figure(curves), path)
