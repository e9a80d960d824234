"""What a message of the log is to the board: a post to apply, a thing seen before, or a dead letter.

Laws:

- A post counts once. Within (agent, epoch) posts are numbered 1, 2, 3 …; one whose number is not above the watermark was applied already.
- A number that does not follow is set aside and moves no watermark: once the missing one arrives, the rest can be sent again.
- A post that cannot be read uses up its number, as far as that can be read, so that what comes behind it is applied.
"""

from collections.abc import Mapping

from blackboard.board import Entry
from blackboard.errors import OutOfOrder
from blackboard.store import MAX_HEAD, DeadLetter
from bus.errors import BadMessage
from bus.messages import Post, decode_post, number_of
from bus.port import LogMessage

MAX_EPOCH = 64
"""Characters in the name of an epoch: a watermark is kept for each."""


class Intake:
    """Takes one batch of messages. ``marks`` are the watermarks as committed; ``moved`` those that this batch moves."""

    def __init__(self, marks: Mapping[tuple[str, str], int]) -> None:
        self._marks = marks
        self.moved: dict[tuple[str, str], int] = {}

    def take(self, message: LogMessage) -> Entry | DeadLetter | None:
        """The post to apply, or why it is set aside, or None for one that was applied before."""
        post: Post | None = None
        fault: BadMessage | OutOfOrder | None = None
        try:
            post = decode_post(message.data)
            epoch, number = post.epoch, post.seq
        except BadMessage as error:
            fault = error
            epoch, number, _ = number_of(message.data)
        if not 0 < len(epoch) <= MAX_EPOCH or number < 1:
            unnumbered = BadMessage(f"post {number} of epoch {epoch[:MAX_EPOCH]!r}: name an epoch, and count from 1")
            return dead_letter(message, fault or unnumbered, epoch[:MAX_EPOCH], number)
        mark = self.moved.get((message.agent, epoch), self._marks.get((message.agent, epoch), 0))
        if number <= mark:
            return None
        if number > mark + 1:
            gap = OutOfOrder(f"post {number} of epoch {epoch!r} came after {mark}: send {mark + 1} first")
            return dead_letter(message, gap, epoch, number)
        self.moved[message.agent, epoch] = number
        if post is None:
            return dead_letter(message, fault or BadMessage("unreadable"), epoch, number)
        return entry_of(message, post)


def entry_of(message: LogMessage, post: Post) -> Entry:
    """The post as it stands in the log."""
    return Entry(message.seq, message.stamp, message.agent, post.epoch, post.seq, post.units)


def dead_letter(message: LogMessage, error: BadMessage | OutOfOrder, epoch: str, number: int) -> DeadLetter:
    """The message set aside, with the reason."""
    head = message.data[:MAX_HEAD]
    return DeadLetter(message.seq, message.stamp, message.agent, type(error).__name__, str(error), head, epoch, number)
