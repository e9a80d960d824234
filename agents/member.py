"""One agent of a crew: kept alive, woken in order, and known to be idle or not.

Laws:

- What an agent is woken for is done when its handler has returned, not before: an agent that failed on an event, or on a round, gets it again.
- One handler at a time, whatever wakes it.
- ``steps`` counts every beginning and every end of something that the agent does. Two equal readings mean that nothing was done between them.
"""

import logging
import traceback
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from agents.agent import Agent
from agents.handlers import Every, Handler, handlers_of
from blackboard.client import Board, Feed
from blackboard.errors import Refused
from bus.errors import NoAnswer, Unreachable
from bus.messages import Change, Signal

LONGEST_PAUSE = 30.0
"""Seconds between two tries of an agent that fails again and again."""
GRACE = 5.0
"""Seconds that ``stop()`` may take."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Failure:
    """An agent failed, and how."""

    agent: str
    doing: str
    """The hook or the handler that raised; *refused* for what the board did not take."""
    error: Exception = field(repr=False)

    @property
    def traceback(self) -> str:
        """The error as Python prints it."""
        return "".join(traceback.format_exception(self.error))
