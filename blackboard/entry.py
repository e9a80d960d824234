"""What a board applies: one post of an agent, as it stands in the log."""

from msgspec import Struct

from bus.messages import Unit


class Entry(Struct, frozen=True, gc=False):
    """A post as it stands in the log: ``seq`` and ``stamp`` (Unix seconds) are the log's, ``agent`` the channel's."""

    seq: int
    stamp: float
    agent: str
    epoch: str
    post: int
    units: tuple[Unit, ...]
