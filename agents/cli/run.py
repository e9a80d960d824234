"""``run``: a crew on a board, from a file, a folder or a module.

What is run offers one of two names:

    async def main(address: str, *args: str) -> int | None      called with the board's address; its number is the exit code
    crew = Crew([…])                                            run on that board; exit code 1 if an agent was given up
"""

import importlib
import logging
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, nullcontext
from inspect import iscoroutinefunction, signature
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Annotated

from cyclopts import Parameter

from agents import Crew
from agents.cli.places import address_at
from agents.cli.retention import DEFAULTS, Keep
from agents.errors import CommandError
from blackboard.retention import Retention
from bus.credentials import VARIABLE
from bus.names import valid_name


async def run(
    target: str,
    /,
    *args: Annotated[str, Parameter(allow_leading_hyphen=True)],
    board: str | None = None,
    nats: Annotated[str | None, Parameter(env_var="PHEROBOARD_NATS")] = None,
    data: Path | None = None,
    keep: Keep = DEFAULTS,
) -> int:
    """Start a server and a board, run a crew on it, and end them.

    Parameters
    ----------
    target
        What to run: examples/procurement, crew.py, or package.module. It offers `main(address, *args)` or `crew`.
    args
        Handed on to it.
    board
        The board's name; by default the target's.
    nats
        A NATS server on which the board is served already; then none is started.
    data
        The folder that keeps the board; by default a temporary one.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    retention = keep.retention()
    if nats and keep != DEFAULTS:
        raise CommandError(f"how much of a board's past is kept, its host says: leave out --keep-…, or --nats {nats}")
    module = load(target)
    name = valid_name(board or module.__name__.rpartition(".")[2], "board")
    async with _board(name, nats, data, retention) as address:
        return await _play(module, address, args)


@asynccontextmanager
async def _board(name: str, nats: str | None, data: Path | None, retention: Retention) -> AsyncIterator[str]:
    """The address of a board that is served while the context is open."""
    if nats:
        yield address_at(nats, name)
        return
    from agents.cli.hosting import hosting

    with nullcontext(data) if data else TemporaryDirectory(prefix="pheroboard-") as folder:
        async with hosting([name], Path(folder), retention=retention) as url:
            os.environ.setdefault(VARIABLE, str(Path(folder) / "keys"))  # for processes that the crew starts, too
            yield f"{url}/{name}"


async def _play(module: ModuleType, address: str, args: tuple[str, ...]) -> int:
    main, crew = getattr(module, "main", None), getattr(module, "crew", None)
    if iscoroutinefunction(main):
        try:
            signature(main).bind(address, *args)
        except TypeError as error:
            raise CommandError(f"{module.__name__} cannot take what it was given, {' '.join((address, *args))}: {error}") from error
        return await main(address, *args) or 0
    if not isinstance(crew, Crew):
        raise CommandError(f"{module.__name__} has nothing to run: give it `async def main(address, *args)`, or `crew = Crew([…])`")
    if args:
        raise CommandError(f"{module.__name__} offers a crew, which takes no arguments; it was given {' '.join(args)}")
    crew.board = address
    report = await crew.run()
    return 1 if report.given_up else 0


def load(target: str) -> ModuleType:
    """Import what ``target`` names, from where it stands."""
    path = Path(target)
    if path.suffix == ".py" or path.is_dir() or len(path.parts) > 1:
        if not path.exists():
            raise CommandError(f"there is nothing at {target}: name a file, a folder with an __init__.py, or a module")
        path = path.resolve()
        parents = list(_packages(path.parent))
        root, parts = (parents[-1].parent if parents else path.parent), [*(p.name for p in reversed(parents)), path.stem]
    else:
        root, parts = Path.cwd(), target.split(".")
    sys.path.insert(0, str(root))
    name = ".".join(parts)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and name.startswith(error.name):
            raise CommandError(f"there is no module {name} in {root}: name a file, a folder with an __init__.py, or a module") from error
        raise


def _packages(folder: Path) -> Iterator[Path]:
    """``folder`` and the folders around it that are packages, innermost first."""
    while (folder / "__init__.py").exists():
        yield folder
        folder = folder.parent
