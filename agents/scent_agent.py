"""Conversations on a board, and an agent that reads them: messages in, scents, slots and requests out (chapter 3).

    await say_message(board, "Ship it to Beijing instead", conversation="c7")      # anybody, on any board object
    await Crew([ScentAgent(), Warehouse()], board="shop").run(forever=True)

Laws:

- A message is a shared item of the kind *trace*, which fades within some rounds: what is to be kept of it are the items that come of it.
- Its key tells who speaks, its target the conversation. Who says the same words again confirms it, and that is a message again.
- Each message that is told while the agent is up counts once, in the order of the board's log, also through failures: the agent has nothing
  left to do once the board has what it observed. A message that was withdrawn, or has faded, before it is read, is passed over.
"""

import logging
from collections.abc import Collection
from typing import Literal, get_args

from agents.agent import Agent
from agents.handlers import on_change
from blackboard.client import Board
from blackboard.errors import BadValue, NotInView, Refused
from blackboard.items import ContextItem
from blackboard.kinds import TRACE
from blackboard.scent.rules import Rules
from blackboard.scent.settings import validated
from blackboard.verbs import Verbs
from bus import names
from bus.messages import Change, FieldSettings

Speaker = Literal["user", "assistant", "system", "tool"]
"""Who says something in a conversation. What a user says begins a round of it; the rest belongs to the round that runs."""

SPEAKERS: tuple[Speaker, ...] = get_args(Speaker)
MESSAGE = "message"
"""How the key of a message begins: *message:user*."""
SAID = ("deposit", "confirm", "revive")
"""Causes of a change by which a message is said."""

_logger = logging.getLogger(__name__)


async def say_message(board: Verbs, text: str, *, conversation: str = "", speaker: Speaker = "user") -> ContextItem:
    """Publish a message of a conversation; ``board`` may be a batch, too. Raises ``BadValue`` (also for a blank text), ``TooBig``."""
    if speaker not in SPEAKERS:
        raise BadValue(f"speaker {speaker!r}: one of {', '.join(SPEAKERS)}")
    key, target = f"{MESSAGE}:{speaker}", conversation or None
    return await board.deposit(text, kind=TRACE, key=key, target=target, scope=names.SHARED, meta={"speaker": speaker})


class ScentAgent(Agent):
    """Reads the messages of conversations, and observes each: its scents go into this agent's field of that conversation.

    ``conversations`` are those that it reads; all, if not given. ``scope``: of the items that come of them, for everybody to see by
    default, as the messages are. Their target is the order that is named, else the conversation. ``settings`` and ``rules`` are those of
    ``board.observe``. The fields are this agent's own: ask its ``board`` for ``field`` and ``recall``.
    """

    def __init__(
        self,
        name: str | None = None,
        board: Board | None = None,
        *,
        conversations: Collection[str] | None = None,
        scope: str = names.SHARED,
        settings: FieldSettings | None = None,
        rules: Rules | None = None,
    ) -> None:
        """Raises ``BadValue`` for settings that no field can have; unusual ones are warned of."""
        super().__init__(name, board)
        if isinstance(conversations, str):
            raise BadValue(f"conversations {conversations!r} is one text: give a list of names")
        self.conversations = conversations
        self.scope = scope
        self.settings = None if settings is None else validated(settings)
        self.rules = rules

    @on_change(kind=TRACE)
    async def said(self, change: Change) -> None:
        """Somebody said something."""
        speaker, conversation = _speaker(change), change.target or ""
        if speaker is None or (self.conversations is not None and conversation not in self.conversations):
            return
        try:
            text = (await self.board.get(change.item)).content
            await self.board.observe(
                text, conversation=conversation, turn=speaker == "user", scope=self.scope, settings=self.settings, rules=self.rules
            )
        except NotInView:
            return
        except Refused as error:  # one message stops no conversation
            _logger.warning("%s passes over a message of conversation %r: %s", self.name, conversation, error)


def _speaker(change: Change) -> str | None:
    """Who speaks, if the change is a message that was said."""
    what, _, who = (change.key or "").partition(":")
    return who if what == MESSAGE and who in SPEAKERS and change.cause in SAID else None
