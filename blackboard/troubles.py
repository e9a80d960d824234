"""What keeps a host from going on, for now. Time is an argument, in Unix seconds.

Law: a trouble is told from when it began until it is over, once, however often it is met in between.
"""

from datetime import UTC, datetime


class Troubles:
    """Those that a host is in, by their kind."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, str]] = {}

    def begin(self, kind: str, said: str, now: float) -> bool:
        """One was met: what is wrong, and the cure. Is it a new one?"""
        since, _ = self._found.get(kind, (now, ""))
        new = kind not in self._found
        self._found[kind] = since, said
        return new

    def over(self, kind: str) -> bool:
        """It is over. Was there one?"""
        return self._found.pop(kind, None) is not None

    def __str__(self) -> str:
        """All of them, since when each; empty if there is none."""
        return "; ".join(f"since {moment(since)}: {said}" for since, said in self._found.values())


def moment(stamp: float) -> str:
    """A point of time, as people write it."""
    return datetime.fromtimestamp(stamp, UTC).isoformat(" ", "seconds")
