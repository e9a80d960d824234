"""What the hosts of one board let each other hear, and what an operator is told of them."""

from msgspec import Struct

from bus.messages.saying import VERSION


class Beat(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A host is there."""

    host: str
    cursor: int
    """The last entry of the log that it has stored."""
    leads: bool = False
    trouble: str = ""
    """Why it could not lead."""
    joins: bool = False
    """It has not the board yet, and waits for a snapshot."""
    clean: int = 0
    """The entry up to which nothing is left of what was erased, neither in its files nor on the bus."""
    life: str = ""
    """Tells this run of the host from others, and from another of the same name."""
    age: float = 0.0
    """Seconds since that began."""
    v: int = VERSION


class HostState(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A host, as the one that leads knows it."""

    host: str
    leads: bool = False
    behind: int = 0
    """Entries that it has not stored yet."""
    silent: float = 0.0
    """Seconds since it was last heard of."""
    trouble: str = ""
    joins: bool = False
