"""``keys``: what a board's items are about, and renaming it."""

from agents.cli.keeping import kept
from agents.cli.output import print_json, print_table
from agents.cli.places import OPERATOR, BoardName, Who, keys_at, locate
from agents.errors import CommandError
from blackboard.replaying import At
from blackboard.replaying import replay as replayed


async def keys(board: BoardName, /, *, rename: tuple[str, str] | None = None, who: Who = OPERATOR) -> None:
    """A board's keys, and how many items each has: everybody's, private ones too. So it is done where the files are.

    Parameters
    ----------
    rename
        OLD NEW: let every item of the key OLD be one of the key NEW. Those that then say the same are one, as strong as the stronger.
        Former ids go on leading to their items; what is said of OLD afterwards is of OLD.
    """
    path = kept(board, who)
    if rename is not None:
        from blackboard.opening import rename_key

        if who.nats:
            raise CommandError(
                f"keys are renamed on the machine that holds the data of {board}: give its name or path there, without --nats"
            )
        address = locate(board, who)
        await rename_key(address, *rename, credentials=keys_at(address, who))
    with replayed(path, At()) as past:
        found = past.board.keys()
    if who.json:
        print_json(found)
        return
    counts = ((key, of["standing"], of["archived"], of.total() - of["standing"] - of["archived"]) for key, of in found.items())
    print_table(("key", "standing", "archived", "history"), (tuple(map(str, row)) for row in counts), empty="No item has a key.")
