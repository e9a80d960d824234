"""What a board refuses, and what stops one from opening.

    BlackboardError
    ├── Refused              an observation or a question that the board does not take
    │   ├── BadValue         a number, an operator, a pattern or a name that cannot be
    │   │   └── BadRule      a rule of ``scent`` that cannot be
    │   ├── UnknownKind      a kind that this board does not have
    │   ├── NotInView        an id that one does not see, whether it exists or not
    │   ├── NotYours         an act that only the owner, or only an asserter, may do
    │   ├── TooBig           content or a unit above the limit
    │   ├── UnitMismatch     a quantity whose unit is not the constraint's
    │   ├── OutOfOrder       a post whose number does not follow the one before
    │   ├── TooFast          a post of an agent that says more than its board lets it
    │   └── Poison           a post that the board fails to apply, by a fault of its own
    ├── StoreError           the files of a board, or an agent's outbox
    │   ├── NotWritable      a full disk, a read-only file, another program's lock
    │   ├── SchemaTooNew
    │   ├── Damaged          a file that is no board's, or not whole
    │   ├── BoardInUse       another process holds the board's files
    │   ├── OutboxInUse      another process holds the outbox
    │   ├── WrongOutbox      an outbox that is another agent's, or another board's
    │   └── StaleOutbox      an outbox that the board is ahead of: an older copy of it
    ├── BoardClosed          the board object was closed
    └── NotInstalled         an optional package that is asked for and is not there

``Refused`` errors cross the wire: ``code`` is the class's name, and ``refused(code, message)`` makes the error again.
"""


class BlackboardError(Exception):
    """The root of this room's errors."""


class Refused(BlackboardError, ValueError):
    """The board does not take it. The message says what is wrong, with the value and the cure."""

    @property
    def code(self) -> str:
        """The name by which it crosses the wire."""
        return type(self).__name__


class BadValue(Refused):
    """A number, an operator, a pattern or a name that cannot be."""


class UnknownKind(Refused):
    """A kind that this board does not have."""


class NotInView(Refused, LookupError):
    """An id that one does not see, whether it exists or not."""

    def __init__(self, message: str = "not in your view") -> None:
        super().__init__(message)


class NotYours(Refused):
    """Only the item's owner, or only one of its asserters, may do this."""


class TooBig(Refused):
    """Content, or a unit, above the limit."""


class UnitMismatch(Refused):
    """A quantity whose unit is not the constraint's."""


class OutOfOrder(Refused):
    """A post whose number does not follow the one before."""


class TooFast(Refused):
    """A post of an agent that says more than its board lets it."""


class Poison(Refused):
    """The board fails to apply it, which is a fault of the board's: it was set aside."""


class StoreError(BlackboardError):
    """The files of a board, or an agent's outbox."""


class NotWritable(StoreError, OSError):
    """The folder or a file cannot be written, for now: once it can be again, a host goes on by itself."""

    def __init__(self, where: object, why: object, cure: str) -> None:
        super().__init__(f"{where} cannot be written ({why}): {cure}")
        self.why = f"({why}): {cure}"
        """The same without the place, which is not for whoever asks from afar."""


class SchemaTooNew(StoreError):
    """The database was written by a newer version."""


class Damaged(StoreError):
    """A file is no board's database, or is not whole."""


class BoardInUse(StoreError):
    """Another process holds the board's files, or this host's name."""


class OutboxInUse(StoreError):
    """Another process holds the outbox."""


class WrongOutbox(StoreError):
    """The outbox is another agent's, or another board's."""


class StaleOutbox(StoreError):
    """The board has applied more of an outbox's epoch than the outbox knows of: the file is an older copy."""


class BoardClosed(BlackboardError):
    """The board object was closed."""


class NotInstalled(BlackboardError, ImportError):
    """A package of an extra is not there; the message says which extra brings it."""


_BY_CODE = {cls.__name__: cls for cls in (BadValue, UnknownKind, NotInView, NotYours, TooBig, UnitMismatch, OutOfOrder, TooFast, Poison)}


def refused(code: str, message: str) -> Refused:
    """The error that ``code`` names, made again on this side of the wire."""
    return _BY_CODE.get(code, Refused)(message)
