"""What an agent says and asks of conversations: messages in, facts with a confidence out (chapter 3)."""

from abc import abstractmethod
from typing import TypeVar

from blackboard.errors import BadValue
from blackboard.scent.observing import observe
from blackboard.scent.rules import Rules
from blackboard.scent.settings import validated
from blackboard.section import without_memory
from blackboard.verbs import Verbs
from bus.messages import AnyQuery, AnyReply, BeginTask, EndTask, Facts, Field, FieldSettings, FieldView, Recall, Scent, Scents

R = TypeVar("R", bound=AnyReply)


class Conversing(Verbs):
    """The verbs of the scent field. ``conversation`` names one of the agent's own; "" is the only one of most."""

    @abstractmethod
    async def _ask(self, query: AnyQuery, kind: type[R]) -> R:
        """What the board answers, of this kind."""

    async def observe(
        self,
        text: str,
        *,
        conversation: str = "",
        turn: bool = True,
        scope: str = "private",
        settings: FieldSettings | None = None,
        rules: Rules | None = None,
    ) -> list[Scent]:
        """Take in a message of a conversation, and give the scents that it has.

        They go into the conversation's field; what carries a value is deposited as a *slot* that supersedes its former value, a standing
        rule as a soft constraint, a request as a *state*: in ``scope``, about the entity that it names, or else about the conversation, if
        that has a name. ``turn``: it begins a round of the conversation; an assistant's answer or a line of a log does not. ``settings``:
        how the field behaves from here on; unusual ones are warned of. ``rules``: what the text is read by; those that come with it, if not
        given. Of a blank text comes nothing. Raises ``BadValue``, ``TooBig``; and ``NoAnswer`` while the board is away, outbox or not: what
        a message means depends on what its conversation has said.
        """
        if not isinstance(text, str):
            raise BadValue(f"a message is a text, not {type(text).__name__}: {text!r:.80}")
        if settings is not None:
            validated(settings)
        said = without_memory(text)
        if not said.strip():
            return []
        field = await self.field(conversation)
        scents = observe(said, topic=field.topic, focus=field.focus, settings=settings or field.settings, rules=rules)
        await self._say(Scents(tuple(scents), conversation, turn, scope, settings))
        return scents

    async def recall(self, types: str, *, conversation: str = "", limit: int = 5) -> Facts:
        """What a conversation says of a type (or of many: ``shipping_*``), as facts, the most confident first, ``limit`` of each type.

        The values are those that stand on the board, also what others have shared; a named conversation recalls what is about itself and
        about what it named. The confidence is the field's, ``confirm`` says whether to ask the user before acting on it.
        """
        return await self._ask(Recall(types, conversation, limit), Facts)

    async def field(self, conversation: str = "") -> FieldView:
        """A conversation's field as it stands: how concentrated each type is, and what it is about."""
        return await self._ask(Field(conversation), FieldView)

    async def begin_task(self, task: str, *, conversation: str = "") -> None:
        """The conversation turns to another task: its field keeps the core types alone. One that runs is ended first."""
        await self._say(BeginTask(task, conversation))

    async def end_task(self, *, conversation: str = "") -> None:
        """The conversation's task ends: a snapshot is kept, which "continue with the order from before" brings back."""
        await self._say(EndTask(conversation))
