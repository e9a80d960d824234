"""The conversation, played line by line: somebody publishes each message, the agent of the desk reads it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

from agents import Crew, ScentAgent, say_message, say_task
from agents.cli.transcript import Begin, End, Message, Said, transcript
from blackboard.client import Board
from bus.messages import Fact, FieldView


class Script(NamedTuple):
    """A conversation in one language."""

    language: str
    order: str
    """The order that it is about; another one is cancelled, and a third one returned."""
    cancelled: str
    last: str
    """The address to which it goes in the end."""
    bill: str

    @property
    def path(self) -> Path:
        """Where its lines are, as ``pheroboard observe`` takes them, too."""
        return Path(__file__).with_name(f"{self.language}.txt")


ENGLISH = Script("english", "A789", "B456", last="88 Tianhe Road, Guangzhou", bill="9 Wensan Road, Hangzhou")
CHINESE = Script("chinese", "D789", "E456", last="广州市天河区天河路88号", bill="杭州市西湖区文三路9号")


class Moment(NamedTuple):
    """Something was said; this is how the conversation stands behind it."""

    said: Said
    field: FieldView
    facts: tuple[Fact, ...]

    def fact(self, type_: str, target: str) -> Fact | None:
        """What is recalled of it, if anything."""
        return next((fact for fact in self.facts if (fact.type, fact.target) == (type_, target)), None)


async def play(script: Script, front: Board, desk: ScentAgent, crew: Crew) -> AsyncIterator[Moment]:
    """Say it line by line, in ``front``'s name; each is read before the next."""
    conversation = script.language
    async for said in transcript(script.path):
        match said:
            case Message(speaker, text):
                await say_message(front, text, conversation=conversation, speaker=speaker)
            case Begin(task):
                await say_task(front, task, conversation=conversation)
            case End():
                await say_task(front, None, conversation=conversation)
        await front.wait_applied()
        await crew.settled()
        facts = await desk.board.recall("*", conversation=conversation)
        yield Moment(said, await desk.board.field(conversation), facts.facts)
