"""What a message of the log is to the board: a post to apply, a thing seen before, or a dead letter.

Laws:

- A post counts once. Within (agent, epoch) posts are numbered 1, 2, 3 …; one whose number is not above the watermark was applied already.
- A number that does not follow is set aside and moves no watermark: once the missing one arrives, the rest can be sent again.
- A post that cannot be read uses up its number, as far as that can be read, so that what comes behind it is applied.
- So does one of an agent that says more than the board lets it; what is set aside counts as one observation. The host speaks as it likes.
- Of each agent's epochs the ``MAX_EPOCHS`` that were heard last are known. A sender that was silent while so many others of its agent began
  is taken for a new one: its post number 1 would count again, and others are out of order.
- All that decides is the log's, and is committed with the batch: whoever follows the log decides alike.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from blackboard.entry import Entry
from blackboard.errors import OutOfOrder, Poison, TooBig, TooFast
from blackboard.limits import Debt, Limits
from blackboard.store import MAX_HEAD, DeadLetter
from bus import names
from bus.errors import BadMessage
from bus.messages import MAX_OBSERVATIONS, Post, decode_post, number_of, weight
from bus.port import LogMessage

MAX_EPOCH = 64
"""Characters in the name of an epoch: a watermark is kept for each."""
MAX_EPOCHS = 1024
"""Of one agent."""

Fault = BadMessage | OutOfOrder | Poison | TooBig | TooFast


class Moved(NamedTuple):
    """What a batch of messages has moved."""

    marks: dict[tuple[str, str], int]
    """(agent, epoch) → the number of its last post, those last that were heard last."""
    forgotten: tuple[tuple[str, str], ...]
    debts: dict[str, Debt]


class Intake:
    """Takes the messages of one board's log, in its order.

    ``marks`` are the watermarks as committed, those last that were heard last, and ``debts`` what agents owe. ``limits`` says how fast an
    agent may speak at the moment.
    """

    def __init__(
        self,
        marks: Mapping[tuple[str, str], int],
        debts: Mapping[str, Debt] | None = None,
        limits: Callable[[], Limits | None] | None = None,
    ) -> None:
        self._epochs: dict[str, dict[str, int]] = {}
        for (agent, epoch), number in marks.items():
            self._epochs.setdefault(agent, {})[epoch] = number
        self._debts = dict(debts or {})
        self._limits = limits or (lambda: None)
        self._moved = Moved({}, (), {})

    def take(self, message: LogMessage) -> Entry | DeadLetter | None:
        """The post to apply, or why it is set aside, or None for one that was applied before."""
        post: Post | None = None
        limits = self._limits() if message.agent != names.HOST else None
        debt = self._debts.get(message.agent, Debt()).at(message.stamp, limits) if limits is not None else None
        fault: Fault | None = self._too_fast(message.agent, debt, limits) if debt is not None and limits is not None else None
        if fault is None:
            try:
                post = _read(message.data)
                epoch, number = post.epoch, post.seq
            except (BadMessage, TooBig) as error:
                fault = error
        if post is None:
            epoch, number, _ = number_of(message.data)
        epochs = self._epochs.setdefault(message.agent, {})
        mark = epochs.get(epoch, 0)
        if not 0 < len(epoch) <= MAX_EPOCH or number < 1:
            fault = fault or BadMessage(f"post {number} of epoch {epoch[:MAX_EPOCH]!r}: name an epoch, and count from 1")
            epoch = epoch[:MAX_EPOCH]
        elif number <= mark:
            return None
        elif number > mark + 1:
            fault = OutOfOrder(f"post {number} of epoch {epoch!r} came after {mark}: send {mark + 1} first")
        else:
            self._move(message.agent, epoch, number)
        if debt is not None:
            self._debts[message.agent] = self._moved.debts[message.agent] = debt.more(1 if fault or post is None else observations(post))
        if fault is not None or post is None:
            return dead_letter(message, fault or BadMessage("unreadable"), epoch, number)
        return entry_of(message, post)

    def moved(self) -> Moved:
        """What has moved since the last call."""
        moved, self._moved = self._moved, Moved({}, (), {})
        return moved

    def owed(self, agent: str, stamp: float) -> float:
        """What an agent owes at that time, in observations."""
        limits = self._limits()
        return 0.0 if limits is None else self._debts.get(agent, Debt()).at(stamp, limits).amount

    @staticmethod
    def _too_fast(agent: str, debt: Debt, limits: Limits) -> TooFast | None:
        wait = debt.wait(limits)
        if not wait:
            return None
        return TooFast(
            f"{agent} may say {limits.rate:,.6g} observations a second and {limits.burst:,.6g} more at once, and is "
            f"{debt.amount:,.0f} ahead of that rate: say this again in {wait:,.3g} s, and go more slowly"
        )

    def _move(self, agent: str, epoch: str, number: int) -> None:
        epochs, (marks, forgotten, _) = self._epochs[agent], self._moved
        epochs.pop(epoch, None)  # so that it is the last one
        epochs[epoch] = number
        marks.pop((agent, epoch), None)
        marks[agent, epoch] = number
        if len(epochs) > MAX_EPOCHS:
            oldest = next(iter(epochs))
            del epochs[oldest]
            marks.pop((agent, oldest), None)
            self._moved = self._moved._replace(forgotten=(*forgotten, (agent, oldest)))


def observations(post: Post) -> int:
    """How many a post counts as."""
    return max(1, sum(map(weight, post.units)))


def _read(data: bytes) -> Post:
    post = decode_post(data)
    if (count := observations(post)) > MAX_OBSERVATIONS:
        raise TooBig(f"a post of {count:,} observations: at most {MAX_OBSERVATIONS:,} go together; send several")
    return post


def entry_of(message: LogMessage, post: Post) -> Entry:
    """The post as it stands in the log."""
    return Entry(message.seq, message.stamp, message.agent, post.epoch, post.seq, post.units)


def dead_letter(message: LogMessage, error: Fault, epoch: str, number: int) -> DeadLetter:
    """The message set aside, with the reason."""
    head = message.data[:MAX_HEAD]
    return DeadLetter(message.seq, message.stamp, message.agent, type(error).__name__, str(error), head, epoch, number)
