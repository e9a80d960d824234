"""What can go wrong between an agent and a board.

    BusError
    ├── BadName          a board or an agent whose name cannot be a subject token
    ├── BadMessage       bytes that are not a message of ours: malformed, of a wrong type, of a version from the future
    ├── TooLarge         a message above the transport's limit
    ├── Unreachable      no server answers, or the connection is gone for good
    ├── NoAnswer         no reply in time, for now: what was sent may have arrived, and may be sent again
    │   └── NotServed    nobody serves the board
    ├── NotPermitted     the server's permissions refuse it
    ├── BadCredentials   a key file that is not there, is open to others or holds no key
    ├── UnknownAgent     no agent of that name was added
    ├── AlreadyServed    the board is open in this process already
    ├── StreamRefused    JetStream refuses what was asked of a stream
    ├── LogMismatch      the log is not the one that this board has read: replaced, or behind the board's cursor
    └── ServerError      a server of ours does not start
        ├── ServerNotFound
        ├── ServerTooOld
        ├── FolderInUse
        └── PortTaken

An error says what is wrong, with which value, and the cure.
"""

from collections.abc import Mapping
from typing import Any


class BusError(Exception):
    """The root of this room's errors."""


class BadName(BusError, ValueError):
    """A board's or an agent's name is not one token of letters, digits, ``-`` and ``_``."""


class BadMessage(BusError, ValueError):
    """Bytes that cannot be read as a message of this protocol."""


class TooLarge(BusError, ValueError):
    """A message is larger than the transport carries."""


class Unreachable(BusError, ConnectionError):
    """No server answers at the address, or the connection ended for good."""


class NoAnswer(BusError, TimeoutError):
    """There was no reply in time: nobody is there for now, or has no time."""


class NotServed(NoAnswer):
    """Nobody serves the board."""


class NotPermitted(BusError, PermissionError):
    """The server's permissions refuse what was tried."""


class BadCredentials(BusError):
    """What is to say who somebody is cannot be read, or others may have read it."""


class UnknownAgent(BusError, LookupError):
    """No agent of that name was added."""


class AlreadyServed(BusError):
    """The board is open in this process already: there it has one host."""


class StreamRefused(BusError):
    """JetStream refuses what was asked of a stream, in its own words."""

    def __init__(self, subject: str, error: Mapping[str, Any]) -> None:
        super().__init__(
            f"the NATS server refuses {subject}: {error.get('description')} ({error.get('err_code')}); see its log and its limits"
        )
        self.code = error.get("err_code")
        self.passing = error.get("code") == 503
        """It is between two states (an election, a recovery): try again."""


class LogMismatch(BusError):
    """The log is not the one that the board has read so far."""


class ServerError(BusError):
    """A server of ours does not start."""


class ServerNotFound(ServerError):
    """There is no ``nats-server`` to start."""


class ServerTooOld(ServerError):
    """The ``nats-server`` found is older than what the board relies on."""


class FolderInUse(ServerError):
    """Another server, or another change, works on the folder."""


class PortTaken(ServerError):
    """The port that was asked for is in use."""
