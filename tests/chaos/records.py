"""What the processes of a run write down of themselves, so that it can be held to what the board says.

A line is appended with one write before, or after, what it tells of: a kill -9 leaves what was written to the system (only the machine's
own end would not), and at worst half a last line, which is dropped when the record is taken up again.
"""

import os
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import msgspec
from msgspec import Struct

from bus.messages import Change, Signal, Unit


class Said(Struct, frozen=True, tag="said", array_like=True):
    """An agent is about to say its ``n``-th unit."""

    n: int
    unit: Unit


class Accepted(Struct, frozen=True, tag="accepted", array_like=True):
    """The verb has returned: now it counts."""

    n: int


class Failed(Struct, frozen=True, tag="failed", array_like=True):
    """The verb has raised: it may count or not."""

    n: int
    error: str


AnyLine: Any = Said | Accepted | Failed
"""Of an agent's record."""


class Heard(Struct, frozen=True):
    """What a subscriber was given between two positions of its feed, and where it stands now."""

    position: str
    things: tuple[Change | Signal, ...]


T = TypeVar("T", bound=Struct)


class Record(Generic[T]):
    """A file of lines of a kind, appended to by one process. Opening it gives what stands there already as ``lines``."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        self.lines = read(path, kind)
        self._file = os.open(path, os.O_CREAT | os.O_RDWR)
        whole = path.read_bytes().rfind(b"\n") + 1
        os.ftruncate(self._file, whole)
        os.lseek(self._file, whole, os.SEEK_SET)

    def write(self, *lines: T) -> None:
        """Append these at once."""
        data = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        while data:
            data = data[os.write(self._file, data) :]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)


def read(path: Path, kind: type[T]) -> list[T]:
    """The whole lines of a record."""
    if not path.exists():
        return []
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    decoder = msgspec.json.Decoder(kind)
    return [decoder.decode(line) for line in whole.split(b"\n") if line]
