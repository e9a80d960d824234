"""A board's kinds, as a file that a person writes::

    [kinds.fact]
    half_life = 30          # rounds, or seconds on a wall-clock board; or rate = 0.02
    threshold = 0.5

    [kinds.rumour]          # a kind of the board's own
    initial = 2
    half_life = 5
    then = "discard"

What a table leaves out is as in the board's defaults; ``edge`` is how edges fade.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blackboard.errors import BadValue


def read_kinds(source: Any) -> Mapping[str, Any]:
    """The tables of a file of kinds, by kind; what is no path is given back as it is. Raises ``BadValue``, which names the file."""
    if not isinstance(source, str | Path):
        if not isinstance(source, Mapping):
            raise BadValue(f"kinds {source!r}: give a mapping, or the path of a file of kinds")
        return source
    try:
        tables = tomllib.loads(Path(source).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadValue(f"{source} cannot be read ({error}): name a file of kinds") from error
    except tomllib.TOMLDecodeError as error:
        raise BadValue(f"{source} is not TOML: {error}") from error
    for name in tables:
        if name != "kinds":
            raise BadValue(f"{source}: {name}: a file of kinds has tables [kinds.NAME], and nothing else")
    kinds = tables.get("kinds", {})
    if not isinstance(kinds, dict):
        raise BadValue(f"{source}: kinds: give tables [kinds.NAME], not {kinds!r}")
    return kinds
