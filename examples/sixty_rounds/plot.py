"""The strengths of the notes, drawn over the rounds. The only file here that imports matplotlib; it needs no display."""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

from examples.sixty_rounds.course import ROUNDS

Curves = Mapping[str, Mapping[int, float]]
"""Of each note: round → strength."""
COLOURS = {"meeting": "tab:blue", "coriander": "tab:green", "chocolate": "tab:red", "cat": "tab:purple", "coupon": "tab:orange"}
"""Of the notes that the chapter speaks of; the others are grey."""


def figure(curves: Curves) -> Figure:
    """A line for each note, under its name; those of the chapter in colour."""
    drawn = Figure(figsize=(10, 6), layout="constrained")
    axes = drawn.add_subplot(xlim=(0, ROUNDS + 10), ylim=(0, 9), xlabel="round", ylabel="strength")
    axes.set_title("How strong the notes of the conversation are (grey: those of other topics)")
    for note, curve in sorted(curves.items(), key=lambda each: each[0] in COLOURS):
        told = note in COLOURS
        axes.plot(
            list(curve), list(curve.values()), label=note,
            color=COLOURS.get(note, "lightgrey"), linewidth=2.2 if told else 1.0,
        )  # fmt: skip
        if told:
            end = max(curve)
            label, up = (f"{note} {curve[end]:.2f}", 0) if end == ROUNDS else (f"{note}, faded at round {end + 1}", 8)
            axes.annotate(label, (end, curve[end]), (6, up), textcoords="offset points", va="center", color=COLOURS[note])
    axes.axhline(1.0, color="black", linewidth=0.8, linestyle=":")
    axes.annotate("what falls below this line fades", (1, 1.0), (0, -4), textcoords="offset points", va="top")
    return drawn


def save(curves: Curves, path: Path) -> None:
    """Draw them into a PNG file."""
    figure(curves).savefig(path, format="png", dpi=120)
