"""``export`` and ``import``: a board's view as a file, and a file into a board."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter

from agents.cli.keeping import kept, place
from agents.cli.output import print_json
from agents.cli.places import OPERATOR, BoardName, Who, opened
from agents.errors import CommandError
from blackboard.board import Board
from blackboard.exchange import read, write
from blackboard.replaying import At
from blackboard.replaying import replay as replayed
from blackboard.sqlite import make

Given = Annotated[Path, Parameter(allow_leading_hyphen=True)]  # "-" is a file, too
Form = Annotated[Literal["json", "graphml"] | None, Parameter(name="--format")]


async def export(board: BoardName, /, *, form: Form = None, out: Path | None = None, everything: bool = False, who: Who = OPERATOR) -> None:
    """All that is in view, as JSON or as GraphML (which networkx, Gephi and yEd open). Looking changes nothing.

    Parameters
    ----------
    form
        json or graphml; if not given, what the file's name says, else json.
    out
        The file to write; the standard output if not given.
    everything
        Everybody's, private items too, and the board's settings: where its files are. Not with it: what happened before (events, accounts)
        and what detectors remember. `backup` copies that, too.
    """
    if form is None:
        form = "graphml" if out is not None and out.suffix == ".graphml" else "json"
    if everything:
        with replayed(kept(board, who), At()) as past:
            document = past.board.document()
    else:
        async with opened(board, who) as at:
            document = await at.document()
    text = write(document, form)
    if out is None:
        print(text)
        return
    try:
        out.write_text(text, encoding="utf-8", newline="")  # noqa: ASYNC240 - there is nothing else to do
    except OSError as error:
        raise CommandError(f"{out} cannot be written ({error}): name another file") from error
    print(f"exported {len(document.items)} items and {len(document.edges)} edges to {out}")


async def import_(board: BoardName, file: Given, /, *, everything: bool = False, who: Who = OPERATOR) -> None:
    """Bring in an export (JSON or GraphML): deposits, reinforcements and links in the name of --as, as far as they are new there.

    The history stays behind, and who else asserted or strengthened an item.

    Parameters
    ----------
    file
        The file to read; - for the standard input.
    everything
        Make a new board of what `export --everything` wrote, everybody's items as they stood. It goes on from there; what happened before
        (events, accounts), and what detectors remember, is not in an export. Under another name items have other ids.
    """
    try:
        text = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read ({error}): name an export") from error
    if everything:
        path, document = place(board, who), read(text)
        made = Board.of_document(document, path.stem)
        await make(path, msgspec.json.encode(made.config), made.snapshot(full=True))
        if who.json:
            print_json({"board": path.stem, "path": str(path), "items": len(document.items), "edges": len(document.edges)})
        else:
            print(f"{path.stem} holds {len(document.items)} items and {len(document.edges)} edges, in {path}")
        return
    async with opened(board, who) as at:
        done = await at.import_(text)
    if who.json:
        print_json(done)
        return
    print(f"deposited {done.deposited}, reinforced {done.reinforced}, linked {done.linked}")
    for reason, count in done.left.items():
        print(f"left behind: {count} ({reason})")
