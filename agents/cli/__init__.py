"""The command line: ``pheroboard COMMAND …``.

Exit codes: 0 it went well, 1 it was refused or failed, 2 it was called wrongly, 130 it was interrupted, 143 it was asked to end.
An error is one line on stderr that names the cure; PHEROBOARD_DEBUG=1 adds the traceback.
Commands are imported when they are called, so that each starts fast.
"""

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from importlib import metadata
from inspect import isawaitable
from keyword import iskeyword
from pathlib import Path

from cyclopts import App, CycloptsError, Parameter

from agents.cli.ending import Ending, interrupted_once
from agents.errors import AgentsError
from blackboard.errors import BlackboardError
from bus.errors import BusError

app = App(
    name="pheroboard",
    help="A pheromone blackboard: shared memory for crews of agents, over NATS, kept in SQLite.",
    version=lambda: metadata.version("pheroboard"),
    default_parameter=Parameter(negative=()),
    suppress_keyboard_interrupt=False,  # an interrupted command exits with 130, not with 0
)
for _command, (_module, _help) in {
    "run": ("run", "Start a server and a board, run a crew on it, and end them."),
    "up": ("up", "Serve boards until interrupted."),
    "watch": ("watch", "Show what happens on a board, as it happens."),
    "deposit": ("verbs", "Put an item on a board; one that stands already is confirmed."),
    "share": ("verbs", "Make a private item of one's own shared."),
    "retract": ("verbs", "Withdraw one's own assertion; the last one removes the item."),
    "observe": ("observe", "Observe a conversation, line by line, and show what comes of it."),
    "top": ("reads", "The strongest items."),
    "search": ("reads", "Items that have to do with a text, the strongest first."),
    "assemble": ("reads", "What belongs into a prompt, as a section of it."),
    "explain": ("reads", "How an item came by its strength."),
    "constraints": ("reads", "Every constraint with its status."),
    "experts": ("reads", "Who strengthened the shared items of a key: who knows about it."),
    "stats": ("reads", "A board in figures."),
    "export": ("exchange", "All that is in view, as JSON or GraphML."),
    "import": ("exchange", "Bring an export in, in one's own name."),
    "kinds": ("kinds", "A board's kinds; with --set, change them."),
    "limits": ("limits", "How fast an agent may speak to a board that is served; with --rate or --burst, change it."),
    "keys": ("keys", "A board's keys with their items' counts; with --rename, rename or merge one."),
    "erase": ("keeping", "Remove an item for good, from a board and from all its files."),
    "replay": ("keeping", "A board as it stood, from its journal."),
    "backup": ("keeping", "Copy a board into one file, while it may be in use."),
    "restore": ("keeping", "Make a board of a backup."),
    "tasks": ("tasks", "What agents did, and what they learnt: import, export, list, show, distil, recall, report."),
    "strategy": ("strategy", "The strategies of a board: list, show, diff, add, approve, reject, retire, rollback."),
    "evolve": ("evolve", "Learn from failures: try changes of strategy, and put what holds up for review."),
    "mcp": ("mcp", "Serve a board over the Model Context Protocol: to Claude, and to whatever else speaks it."),
    "agent": ("agent", "Who may speak on the boards of a data folder: keys and permissions."),
    "doctor": ("doctor", "Is everything in place, and what did boards set aside?"),
}.items():
    app.command(f"agents.cli.{_module}:{_command + '_' * iskeyword(_command)}", name=_command, help=_help, sort_key=len(list(app)))


def main(tokens: Sequence[str] | None = None) -> None:
    """Run one command (by default the one in ``sys.argv``) and exit with its code."""
    ending = Ending()
    try:
        _open_streams()
        ending.arrange()
        sys.exit(call(sys.argv[1:] if tokens is None else tokens))
    except KeyboardInterrupt:
        sys.exit(ending.code)


def call(tokens: Sequence[str]) -> int:
    """Run one command and give back its exit code. A command returns nothing, or a code of its own. Raises ``KeyboardInterrupt``."""
    try:
        command, bound, _ = app.parse_args(tokens, exit_on_error=False, print_error=False)
        code = command(*bound.args, **bound.kwargs)
        if isawaitable(code):
            import asyncio  # which takes a while, and help does without

            code = asyncio.run(interrupted_once(code))
        sys.stdout.flush()
    except CycloptsError as error:
        print(f"pheroboard: {_line(error)} (pheroboard --help tells more)", file=sys.stderr)
        return 2
    except Exception as error:  # noqa: BLE001 - one line for whatever went wrong; the traceback for who asks for it
        for sentence in dict.fromkeys(map(_sentence, _leaves(error))):
            print(f"pheroboard: {sentence}", file=sys.stderr)
        if os.environ.get("PHEROBOARD_DEBUG"):
            traceback.print_exception(error)
        return 1
    return code if isinstance(code, int) else 0


def _open_streams() -> None:
    """A closed stdout or stderr is one that goes nowhere. What a stream cannot encode is escaped; a line is seen at once, in a pipe too."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - for as long as the process lives
        else:
            stream.reconfigure(errors="backslashreplace", line_buffering=True)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _sentence(error: BaseException) -> str:
    text = _line(error)
    if isinstance(error, (AgentsError, BlackboardError, BusError)):
        return text
    return f"{type(error).__name__}: {text} (PHEROBOARD_DEBUG=1 shows where)"


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())
