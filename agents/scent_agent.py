"""Conversations on a board, and an agent that reads them: messages in, scents, slots and requests out (chapter 3).

    await say_message(board, "Ship it to Beijing instead", conversation="c7")      # anybody, on any board object
    await say_task(board, "returns", conversation="c7")
    await Crew([ScentAgent(), Warehouse()], board="shop").run(forever=True)

Laws:

- A message is a shared item of the kind *trace*, which fades within some rounds: what is to be kept of it are the items that come of it.
- Its key tells who speaks, or what becomes of a task; its target is the conversation. Who says the same words again confirms it, and that
  is a message again.
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
TASK_BEGINS, TASK_ENDS = "task:begin", "task:end"
"""Keys of what is said about tasks."""
_KEYS = {*(f"{MESSAGE}:{speaker}" for speaker in SPEAKERS), TASK_BEGINS, TASK_ENDS}
SAID = ("deposit", "confirm", "revive")
"""The causes of a change by which something is said."""

_logger = logging.getLogger(__name__)


async def say_message(board: Verbs, text: str, *, conversation: str = "", speaker: Speaker = "user") -> ContextItem:
    """Publish a message of a conversation; ``board`` may be a batch, too. Raises ``BadValue`` (also for a blank text), ``TooBig``."""
    if speaker not in SPEAKERS:
        raise BadValue(f"speaker {speaker!r}: one of {', '.join(SPEAKERS)}")
    return await _publish(board, text, f"{MESSAGE}:{speaker}", conversation, speaker)


async def say_task(board: Verbs, task: str | None, *, conversation: str = "") -> ContextItem:
    """Publish that a conversation turns to another task; None: that the one which runs ends. As ``say_message``."""
    if task is None:
        return await _publish(board, "The task ends", TASK_ENDS, conversation, "system")
    return await _publish(board, task, TASK_BEGINS, conversation, "system")


async def _publish(board: Verbs, text: str, key: str, conversation: str, speaker: Speaker) -> ContextItem:
    return await board.deposit(text, kind=TRACE, key=key, target=conversation or None, scope=names.SHARED, meta={"speaker": speaker})


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
        """Raises ``BadValue`` for settings that no field can have, and for rules that are none; unusual settings are warned of."""
        super().__init__(name, board)
        if isinstance(conversations, str):
            raise BadValue(f"conversations {conversations!r} is one text: give a list of names")
        self.conversations = conversations
        self.scope = scope
        self.settings = None if settings is None else validated(settings)
        if rules is not None and not isinstance(rules, Rules):
            raise BadValue(f"rules {rules!r:.200} are none: give those of load_rules(path)")
        self.rules = rules

    @on_change(kind=TRACE)
    async def said(self, change: Change) -> None:
        """Somebody said something."""
        conversation = change.target or ""
        if change.cause not in SAID or change.key not in _KEYS:
            return
        if self.conversations is not None and conversation not in self.conversations:
            return
        try:
            await self._read((await self.board.get(change.item)).content, change.key, conversation)
        except NotInView:
            return
        except Refused as error:  # one message stops no conversation
            _logger.warning("%s passes over a message of conversation %r: %s", self.name, conversation, error)

    async def _read(self, text: str, key: str, conversation: str) -> None:
        if key == TASK_BEGINS:
            await self.board.begin_task(text, conversation=conversation)
        elif key == TASK_ENDS:
            await self.board.end_task(conversation=conversation)
        else:
            turn = key == f"{MESSAGE}:user"
            await self.board.observe(text, conversation=conversation, turn=turn, scope=self.scope, settings=self.settings, rules=self.rules)
