"""Names and subjects: the only place that knows how they are spelled.

A board and an agent are one subject token each, so that a permission can name them exactly.
"""

import re

from bus.errors import BadName

HOST = "_board"
"""The agent in whose name a board's host speaks (ticks). Users' names cannot begin with an underscore."""

SHARED = "shared"
"""The scope of what everyone sees, and its audience."""
PRIVATE = "private"
"""The scope of what its owner alone sees."""

_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")


def valid_name(name: str, what: str = "agent") -> str:
    """Give back ``name`` if a user may bear it, else raise ``BadName``. ``what`` names the thing in the error."""
    if not isinstance(name, str) or not _TOKEN.fullmatch(name):  # type: ignore[redundant-expr]  # users pass what they like
        raise BadName(f"{what} name {name!r}: use 1 to 64 letters, digits, '-' and '_' (it becomes one token of a NATS subject)")
    if name.startswith("_"):
        raise BadName(f"{what} name {name!r}: names that begin with '_' are the board's own; choose another")
    return name


def private(agent: str) -> str:
    """The audience that is ``agent`` alone."""
    return f"{PRIVATE}.{agent}"


def observations(board: str, agent: str = "*") -> str:
    """The subject on which ``agent`` publishes observations for ``board``."""
    return f"pb.obs.{board}.{agent}"


def queries(board: str, agent: str = "*") -> str:
    """The subject on which ``agent`` asks ``board``."""
    return f"pb.ask.{board}.{agent}"


def events(board: str, audience: str = ">") -> str:
    """The subject on which ``board`` tells ``audience`` (``shared`` or ``private.AGENT``) what moved."""
    return f"pb.evt.{board}.{audience}"


def beats(board: str) -> str:
    """The subject on which the hosts of ``board`` hear each other."""
    return f"pb.host.{board}"


def speaker(subject: str) -> str:
    """The agent whose channel an observation or a query came in on."""
    return subject.rsplit(".", 1)[1]
