"""``tasks report``: the four figures that are watched, over time, as tables and as a picture."""

from collections.abc import Mapping
from math import isnan
from pathlib import Path

from agents.cli.output import moment, print_json, print_table
from agents.cli.places import OPERATOR, BoardName, Who, opened
from agents.evolution.library import Library
from agents.evolution.report import STATUSES, Report
from agents.evolution.report import report as figures
from agents.memory.journal import Journal


async def report(
    board: BoardName,
    /,
    *,
    window: int | None = None,
    days: float | None = None,
    plot: Path | None = None,
    who: Who = OPERATOR,
) -> None:
    """How it goes, over time: success, turns for a task, whether memory was found and helped, and the library of strategies.

    Parameters
    ----------
    window
        Tasks in a window; by default a tenth of all.
    days
        Days in a window, in place of tasks.
    plot
        Draw it into this PNG file, too (needs pheroboard[plot]).
    """
    if plot:
        from agents.plot import ready

        ready(plot)
    async with opened(board, who) as at:
        library = Library(at)
        names = sorted({release.strategy.name for release in await library.releases()})
        decisions = {name: await library.decisions(name) for name in names}
        found = figures(await Journal(at).tasks(), decisions, tasks=window, days=days)
    if plot:
        from agents.plot import panels, save

        save(panels(curves(found), title=f"{board}: {found.tasks} tasks", over="task", shares=SHARES, counts=COUNTS), plot)
    if who.json:
        print_json(found)
    else:
        _print(found)


SHARES = ("success rate", "memory")
COUNTS = ("strategies",)
"""Of the pictures: those of shares, and of whole numbers."""


def curves(found: Report) -> Mapping[str, Mapping[str, Mapping[int, float]]]:
    """The four pictures: name → curve → the last task of a window → value."""
    over = {window.last: window for window in found.windows}
    statuses = ("all", "active", "retired")
    return {
        "success rate": {"success": {at: window.success for at, window in over.items()}},
        "turns per task": {"turns": {at: window.turns for at, window in over.items()}},
        "memory": {
            "found": {at: window.found for at, window in over.items()},
            "success with it": {at: window.having.share for at, window in over.items()},
            "success without": {at: window.without.share for at, window in over.items()},
        },
        "strategies": {status: {at: float(window.library[status]) for at, window in over.items()} for status in statuses},
    }


def _print(found: Report) -> None:
    print_table(
        ("tasks", "until", "success", "turns", "memory found", "success with it", "without", "active", "of all"),
        (
            (
                f"{window.first}–{window.last}",
                moment(window.ended, "wall"),
                _share(window.success),
                f"{window.turns:.1f}",
                _share(window.found),
                _share(window.having.share),
                _share(window.without.share),
                str(window.library["active"]),
                str(window.library["all"]),
            )
            for window in found.windows
        ),
        empty="No task has ended.",
    )
    if not found.tasks:
        return
    print(f"\nall {found.tasks} tasks: success {_share(found.success)}, {found.turns:.1f} turns, memory found {_share(found.found)}")
    if isnan(found.helped):
        print("whether memory helped cannot be told: no type of task was done both with it and without")
    else:
        print(f"with memory success was {100 * found.helped:+.0f} points, among tasks of one type")
    print()
    print_table(
        ("type", "success with memory", "without"),
        ((each.type or "(none)", str(each.having), str(each.without)) for each in found.by_type),
        empty="",
    )
    print("\nstrategies: " + ", ".join(f"{found.library[status]} {status}" for status in ("all", *STATUSES)))


def _share(value: float) -> str:
    return "–" if isnan(value) else f"{value:.0%}"
