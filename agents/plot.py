"""Curves over rounds, or whatever else is counted, drawn into a PNG file. The only file that imports matplotlib; it needs no display.

That takes a second, and the extra ``plot`` brings it: so it is imported by whoever draws, at last.
"""

from collections.abc import Collection, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from blackboard.errors import BadValue, NotInstalled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curves = Mapping[str, Mapping[int, float]]
"""Name → round, or whatever else is counted → value."""


def ready(path: Path) -> None:
    """Can a picture be drawn there? Asked before there is anything to draw. Raises ``BadValue``, ``NotInstalled``."""
    if path.is_dir() or not path.parent.is_dir():
        raise BadValue(f"no picture can be drawn into {path}: name a file, in a folder that is there")
    if find_spec("matplotlib") is None:
        raise NotInstalled("pictures are drawn with matplotlib: pip install 'pheroboard[plot]'")


def figure(
    curves: Curves,
    *,
    title: str,
    values: str,
    over: str = "round",
    told: Mapping[str, str] | None = None,
    ends: Mapping[str, str] | None = None,
) -> "Figure":
    """A line for each curve, under its name; ``values``: what its values are; ``over``: what over. Where one is nan, the line has a gap.

    ``told``: the curves that this is about, and their colours. Each of them has a word at its end (what ``ends`` says, else its name and
    its last value), and the others are grey. Not given: all are in colour, with a legend.
    """
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(10, 6), layout="constrained")
    axes = drawn.add_subplot(xlabel=over, ylabel=values)
    axes.set_title(title)
    axes.locator_params(axis="x", integer=True)
    if told is None:
        for name, curve in curves.items():
            axes.plot(list(curve), list(curve.values()), label=name, marker=".")
        if curves:
            axes.legend()
        return drawn
    for name, curve in sorted(curves.items(), key=lambda each: each[0] in told):
        colour, end = told.get(name), max(curve)
        axes.plot(list(curve), list(curve.values()), label=name, color=colour or "lightgrey", linewidth=2.2 if colour else 1.0)
        if colour:
            label, up = (ends[name], 8) if ends and name in ends else (f"{name} {curve[end]:.2f}", 0)
            axes.annotate(label, (end, curve[end]), (6, up), textcoords="offset points", va="center", color=colour)
    return drawn


def panels(
    pictures: Mapping[str, Curves], *, title: str, over: str, shares: Collection[str] = (), counts: Collection[str] = ()
) -> "Figure":
    """A picture for each name, two in a row, with its curves in colour; ``over``: what they are drawn over. Values begin at 0.

    ``shares``: the pictures of values up to 1, told in per cent; ``counts``: those of whole numbers. No point is cut by the frame.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    rows = -(-len(pictures) // 2)
    drawn = Figure(figsize=(12, 3.6 * rows), layout="constrained")
    drawn.suptitle(title)
    for number, (name, curves) in enumerate(pictures.items(), 1):
        axes = drawn.add_subplot(rows, 2, number, xlabel=over, title=name)
        for label, curve in curves.items():
            axes.plot(list(curve), list(curve.values()), label=label, marker=".", clip_on=False, zorder=3)  # above the frame
        axes.locator_params(axis="x", integer=True)
        axes.set_ylim(bottom=0.0)
        if name in shares:
            axes.set_ylim(top=1.0)
            axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        if name in counts:
            axes.set_ylim(top=max(1.0, axes.get_ylim()[1]))
            axes.locator_params(axis="y", integer=True)
        if len(curves) > 1:
            axes.legend()
    return drawn


def save(drawn: "Figure", path: Path) -> None:
    """Write it as a PNG file. Raises ``BadValue`` where that cannot be."""
    try:
        drawn.savefig(path, format="png", dpi=120)
    except OSError as error:
        raise BadValue(f"{path} cannot be written ({error}): name another file") from error
