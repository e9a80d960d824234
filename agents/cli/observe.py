"""``observe``: a conversation, line by line, and what the board makes of it."""

import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import groupby
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from cyclopts import Parameter

from agents import plot as plotting
from agents.cli.output import number, plain, print_json, print_table
from agents.cli.places import OPERATOR, BoardName, Who, opened
from agents.cli.transcript import STDIN, Begin, End, Message, Said, transcript
from blackboard.client import Board
from blackboard.scent import Rules, commerce, load_rules, tutoring
from blackboard.scent.observing import LONGEST
from bus.messages import Fact, FieldSettings, FieldView, Scent

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

PRESETS: dict[str, FieldSettings] = {"commerce": commerce, "tutoring": tutoring}
OF_EACH = 3
"""Facts of a type that are shown, at most: the most confident."""
BAR = 20
"""Characters of the longest bar."""
WIDE = 110
"""Columns of a terminal that has room for bars."""
HEAD = ("type", "concentration", "value", "about", "confidence", "said", "ask again")


class Shown(NamedTuple):
    """A conversation as it stands."""

    field: FieldView
    facts: tuple[Fact, ...]


async def observe(
    board: BoardName,
    file: Annotated[Path, Parameter(allow_leading_hyphen=True)] = STDIN,  # "-" is a file, too
    /,
    *,
    conversation: str = "",
    preset: Literal["commerce", "tutoring"] | None = None,
    rules: tuple[Path, ...] = (),
    plot: Path | None = None,
    shared: bool = False,
    who: Who = OPERATOR,
) -> None:
    """Observe a conversation, line by line, and show how concentrated its scents are, and what is recalled.

    Parameters
    ----------
    file
        The file to read; the standard input, as its lines come, if not given or -. Each line is a message of the user; one that begins
        with `assistant:`, `system:` or `tool:` (助手, 系统, 工具) is theirs, and no turn. `/begin NAME` begins a task, `/end` ends it.
    conversation
        Which conversation it is; the one without a name if not given.
    preset
        How its field behaves from here on: for commerce, or for tutoring. As before if not given, at first for commerce.
    rules
        Files of rules (TOML) over those that are shipped.
    plot
        Draw how concentrated each type was, round by round, into this PNG file.
    shared
        What comes of it is for everybody to see; private otherwise.
    """
    if plot is not None:
        plotting.ready(plot)
    compiled = load_rules(*rules) if rules else None
    curves: dict[str, dict[int, float]] = defaultdict(dict)
    async with opened(board, who) as at:
        speaking = _Speaking(at, conversation, PRESETS.get(preset or ""), compiled, "shared" if shared else "private")
        if file == STDIN and sys.stdin.isatty():
            print(f"observing on {at.name} as {who.agent}: type what is said, a line each (Ctrl-D ends it)", file=sys.stderr, flush=True)
        try:
            with _screen(who, file) as live:
                async for said in transcript(file):
                    if isinstance(said, Message) and len(said.text) > LONGEST:
                        print(f"a message of {len(said.text):,} characters: only the first {LONGEST:,} are read", file=sys.stderr)
                    scents = await speaking.say(said)
                    shown = await speaking.shown()
                    _extend(curves, shown.field)
                    _tell(said, scents, shown, who, live)
        finally:  # what is drawn is what was observed, also until an interrupt
            if plot is not None:
                plotting.save(plotting.figure(curves, title="How concentrated the scents are", values="concentration"), plot)
        if not who.json and not sys.stdout.isatty():
            _print(await speaking.shown())


class _Speaking:
    """Takes lines to a board."""

    def __init__(self, at: Board, conversation: str, settings: FieldSettings | None, rules: Rules | None, scope: str) -> None:
        self._at = at
        self._conversation = conversation
        self._settings = settings
        self._rules = rules
        self._scope = scope

    async def say(self, said: Said) -> list[Scent]:
        """Say it; return once it is applied, with the scents of a message. What was refused raises here."""
        at, conversation, scents = self._at, self._conversation, list[Scent]()
        match said:
            case Message(speaker, text):
                scents = await at.observe(
                    text, conversation=conversation, turn=speaker == "user", scope=self._scope, settings=self._settings, rules=self._rules
                )
            case Begin(task):
                await at.begin_task(task, conversation=conversation)
            case End():
                await at.end_task(conversation=conversation)
        await at.wait_applied()
        return scents

    async def shown(self) -> Shown:
        """The conversation as it stands."""
        facts = await self._at.recall("*", conversation=self._conversation, limit=OF_EACH)
        return Shown(await self._at.field(self._conversation), facts.facts)


def _screen(who: Who, file: Path) -> AbstractContextManager["Live | None"]:
    """A table that changes in its place, in a terminal; not where the user types into that."""
    if who.json or not sys.stdout.isatty() or (file == STDIN and sys.stdin.isatty()):
        return nullcontext()
    from rich.live import Live

    return Live(auto_refresh=False)


def _tell(said: Said, scents: list[Scent], shown: Shown, who: Who, live: "Live | None") -> None:
    """Show what was said, and what came of it."""
    if who.json:
        print_json({"said": _document(said), "scents": scents, "field": shown.field, "facts": shown.facts})
    elif live is not None:
        live.console.print(_line(said, scents, shown), markup=False, highlight=False)
        live.update(_table(shown, live.console.width), refresh=True)
    else:
        print(_line(said, scents, shown), flush=True)
        if sys.stdout.isatty():
            from rich import get_console

            console = get_console()
            console.print(_table(shown, console.width))


def _extend(curves: dict[str, dict[int, float]], field: FieldView) -> None:
    """Note how concentrated each type is now. In a round that knows nothing of one its curve is broken off."""
    for type_, concentration in field.concentrations.items():
        curves[type_][field.round] = concentration
    for curve in curves.values():
        curve.setdefault(field.round, nan)


def _document(said: Said) -> dict[str, Any]:
    match said:
        case Message():
            return said._asdict()
        case Begin(task):
            return {"begin": task}
        case End():
            return {"end": True}


# ---- in words ---------------------------------------------------------------------------------------------------------------------------


def _line(said: Said, scents: list[Scent], shown: Shown) -> str:
    match said:
        case Message(speaker, text):
            came = ", ".join(map(_scent, scents)) or "no scent"
            return f"round {shown.field.round}, {speaker}: {plain(text)}\n    → {plain(came)}"
        case Begin(task):
            return f"the task {plain(task)!r} begins"
        case End():
            return "the task ends"


def _scent(scent: Scent) -> str:
    about = f" of {scent.target}" if scent.target and scent.target != scent.value else ""
    value = "" if scent.value is None else f" = {scent.value}" + (" (asked)" if scent.asked else "")
    return f"{scent.type}{about}{value} {number(scent.concentration)}"


def _rows(shown: Shown) -> Iterator[tuple[str, float | None, tuple[str, ...]]]:
    """Type, how concentrated it is, and the other cells; a type with several facts has its name and its concentration in the first."""
    facts = {type_: list(of) for type_, of in groupby(sorted(shown.facts, key=lambda fact: fact.type), key=lambda fact: fact.type)}
    concentrations = shown.field.concentrations
    for type_ in [*concentrations, *(facts.keys() - concentrations.keys())]:
        cells = [_cells(fact) for fact in facts.get(type_, ())] or [("", "", "", "", "")]
        yield type_, concentrations.get(type_, 0.0), cells[0]
        yield from (("", None, each) for each in cells[1:])


def _cells(fact: Fact) -> tuple[str, ...]:
    value = fact.content if fact.value is None else str(fact.value)
    if not fact.content.endswith(value):  # a sentence, of which it is the point
        value = f"{value}: {fact.content}"
    return plain(value), plain(fact.target or ""), number(fact.confidence), _when(fact), "yes" if fact.confirm else "no"


def _when(fact: Fact) -> str:
    if fact.round == 0:
        return "elsewhere"
    return {0: "in this round", 1: "1 round ago"}.get(fact.staleness, f"{fact.staleness} rounds ago")


def _print(shown: Shown) -> None:
    """The field, into a pipe."""
    rows = [(type_, "" if concentration is None else number(concentration), *cells) for type_, concentration, cells in _rows(shown)]
    print()
    print_table(HEAD, rows, empty="Nothing has been said that the conversation still knows.")
    print(_about(shown.field))


def _table(shown: Shown, width: int) -> "Table":
    """The field, for a terminal of so many columns: with bars, if they take no room from the words."""
    from rich.bar import Bar
    from rich.table import Table
    from rich.text import Text

    wide = width >= WIDE
    table = Table(box=None, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), header_style="bold")
    table.caption, table.caption_justify = Text(_about(shown.field)), "left"
    for name in (HEAD[0], *([""] if wide else []), *HEAD[1:]):
        figures = name in {"concentration", "confidence"}
        table.add_column(name, justify="right" if figures else "left", overflow="fold", no_wrap=figures or name == "type")
    longest = max([1.0, *shown.field.concentrations.values()])
    for type_, concentration, cells in _rows(shown):
        bar: Bar | str = "" if concentration is None else Bar(longest, 0, concentration, width=BAR, color="green")
        figure = "" if concentration is None else number(concentration)
        table.add_row(Text(type_), *([bar] if wide else []), figure, *map(Text, cells))
    return table


def _about(field: FieldView) -> str:
    """What the conversation is about."""
    told = {"task": field.task, "topic": field.topic, "order": field.focus, "held down": ", ".join(field.diluted)}
    told["can be continued"] = ", ".join(task or "without a name" for task in field.snapshots)
    return plain("; ".join([f"round {field.round}", *(f"{what}: {which}" for what, which in told.items() if which)]))
