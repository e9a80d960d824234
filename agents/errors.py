"""What agents cannot do.

    AgentsError
    ├── ChatError
    │   ├── BudgetSpent   the request could cost more than is left; it was not sent
    │   ├── NoReply       nobody answered in time, or the server answered with an error
    │   └── BadReply      what came is no answer: not of the protocol, refused, empty, or cut off
    ├── CycleError
    │   ├── Busy          another cycle of evolution is under way
    │   └── Lost          this one was silent for so long that somebody else has taken it over
    ├── DistillingFailed  the process that clusters records has ended without a result
    ├── RetryFailed       a task was done once more, and there is no verdict
    └── CommandError      a command of the command line cannot do what was asked

What a board refuses they raise as it is (``blackboard.errors``), and a value that cannot be as ``BadValue``.
"""


class AgentsError(Exception):
    """The root of this room's errors. The message says what is wrong, with the value and the cure."""


class ChatError(AgentsError):
    """A language model did not answer."""


class BudgetSpent(ChatError):
    """The request could cost more than is left; it was not sent."""


class NoReply(ChatError):
    """Nobody answered in time, or the server answered with an error."""


class BadReply(ChatError):
    """What came is no answer."""


class CycleError(AgentsError):
    """A cycle of evolution cannot go on."""


class Busy(CycleError):
    """Another cycle is under way."""


class Lost(CycleError):
    """The cycle was taken over."""


class DistillingFailed(AgentsError):
    """The process that clusters records ended without a result."""


class RetryFailed(AgentsError):
    """A retry gave no verdict: what it raised, or that its process ended, or took too long."""


class CommandError(AgentsError):
    """The command cannot do what was asked. The message says why, and the cure."""
