"""The assistant: it notes on a board what the course says, and keeps a record of how strong its notes were in each round."""

from blackboard.client import Board
from blackboard.items import ContextItem
from examples.sixty_rounds.course import COURSE, Confirm, Keep, Link, Script


class Assistant:
    """One conversation, with notes of its own on ``board``."""

    def __init__(self, board: Board, script: Script) -> None:
        self.board = board
        self.script = script
        self.strengths: dict[str, dict[int, float]] = {}
        """Of each note: round → its strength at the end of what was said in that round, as long as it stood."""
        self._notes: dict[str, ContextItem] = {}

    async def hear(self, number: int) -> None:
        """Play one round."""
        async with self.board.batch() as batch:
            for act in COURSE.get(number, ()):
                match act:
                    case Keep(note, kind, strength, key, value, hard):
                        self._notes[note] = await batch.deposit(
                            self.script.notes[note], kind=kind, key=key, value=value, hard=hard, strength=strength
                        )
                    case Confirm(note):
                        await batch.confirm(self._notes[note])
                    case Link(note, other):
                        await batch.link(self._notes[note], self._notes[other])
        await self.board.wait_applied()
        standing = {item.id: item.strength for item in await self.board.top(len(self.script.notes))}
        for note, item in self._notes.items():
            if item.id in standing:
                self.strengths.setdefault(note, {})[number] = standing[item.id]
