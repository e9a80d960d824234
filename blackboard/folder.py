"""Has what has faded on a board summarised, and posts it (chapter 2, "Forgetting is three things").

Laws:

- What a summariser wrote goes into the log as its result, so that a replay needs no summariser.
- A summary that cannot be had (the summariser raises, hangs, or gives no text that a board takes) is the default's: folding does not stop.
- A summariser is given copies, and only what one partition and one owner said.
"""

import inspect
import logging
from collections.abc import Iterable

import anyio

from blackboard.errors import Refused
from blackboard.summaries import DEFAULT, Summariser
from blackboard.validity import validate
from blackboard.waiting import Group
from bus.messages import Fold, Unit

WITHIN = 60.0
"""Seconds that a summariser has for one summary."""
POSTED = 256 * 1024
"""Bytes of summaries from which on a post is full: with one more it still fits the transport."""

_logger = logging.getLogger(__name__)


async def folds(groups: Iterable[Group], summariser: Summariser) -> tuple[Unit, ...]:
    """The units of one post that fold these groups, or the first of them as far as a post holds."""
    units: list[Unit] = []
    size = 0
    for group in groups:
        fold = await _fold(group, summariser)
        units.append((fold,))
        size += len(fold.content.encode())
        if size >= POSTED:
            break
    return tuple(units)


async def _fold(group: Group, summariser: Summariser) -> Fold:
    items = tuple(item.id for item in group)
    try:
        with anyio.fail_after(WITHIN):
            said = summariser.summarise(group)
            fold = Fold(items, await said if inspect.isawaitable(said) else said)
        validate(fold)
    except Refused as error:
        _logger.warning("a summary of %d items is the default's: the summariser's is not one (%s)", len(group), error)
    except Exception as error:
        _logger.warning("a summary of %d items is the default's: the summariser failed", len(group), exc_info=error)
    else:
        return fold
    content = DEFAULT.summarise(group)
    assert isinstance(content, str)
    return Fold(items, content)
