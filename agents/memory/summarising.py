"""Whoever puts what was condensed into better words (chapter 5, "Summarisers are pluggable").

Laws:

- What must not be lost is extracted, by rule, before anyone is asked. A summariser is given that record, and gives one of the same thing
  back; of it intents, states and lessons are taken, and nothing else.
- What it words is looked through. Where it turns a sentence into its opposite, makes a number up, or takes a page, and where it fails, the
  record stands as it was extracted, and the reason is counted.
"""

from collections import Counter
from collections.abc import Awaitable, Iterable, Sequence
from typing import Protocol, TypeVar

from msgspec.structs import replace

from agents.memory.essentials import numbers, plain_number
from agents.memory.guard import lost, turned
from agents.memory.records import Experience, StepRecord, TaskLog, TaskRecord, Turn
from agents.memory.telling import told_body, told_turn
from blackboard.summaries import sentences

LONGEST = 600
"""Characters of what is worded."""

Record = TypeVar("Record", StepRecord, TaskRecord, Experience)


class Summariser(Protocol):
    """Words the records of any tier. It may take its time, and raise what it likes."""

    async def step(self, turns: Sequence[Turn], extracted: StepRecord) -> StepRecord:
        """What ``turns`` came to: of this ``intent`` and ``state`` count."""
        ...

    async def task(self, log: TaskLog, extracted: TaskRecord) -> TaskRecord:
        """What a task came to: of this ``lesson`` counts."""
        ...

    async def experience(self, records: Sequence[TaskRecord], extracted: Experience) -> Experience:
        """What many tasks came to: of this ``lesson`` counts."""
        ...


class Extractive:
    """Leaves every record as it was extracted: the default, which needs no model."""

    async def step(self, turns: Sequence[Turn], extracted: StepRecord) -> StepRecord:  # noqa: ARG002 - it needs none
        return extracted

    async def task(self, log: TaskLog, extracted: TaskRecord) -> TaskRecord:  # noqa: ARG002 - it needs none
        return extracted

    async def experience(self, records: Sequence[TaskRecord], extracted: Experience) -> Experience:  # noqa: ARG002 - it needs none
        return extracted


class Guarded:
    """Another summariser, whose words are taken if they hold. Itself one, which raises nothing."""

    def __init__(self, summariser: Summariser) -> None:
        self._summariser = summariser
        self.worded = 0
        """Records that stand in its words."""
        self.fallen_back: Counter[str] = Counter()
        """Why a record stands as it was extracted → how many do."""

    async def step(self, turns: Sequence[Turn], extracted: StepRecord) -> StepRecord:
        said = await self._tried(self._summariser.step(turns, extracted), extracted)
        if said is extracted:
            return extracted
        worded = replace(extracted, intent=said.intent, state=said.state)
        worded = replace(worded, figures=(*extracted.figures, *_missing(f"{extracted.intent} {extracted.state}", told_body(worded))))
        told = [told_turn(turn, number) for number, turn in enumerate(turns)]
        return self._held(worded, extracted, [loss.what for loss in lost(turns, worded)], f"{said.intent} {said.state}", told)

    async def task(self, log: TaskLog, extracted: TaskRecord) -> TaskRecord:
        said = await self._tried(self._summariser.task(log, extracted), extracted)
        if said is extracted:
            return extracted
        told = [log.request, extracted.feedback, extracted.lesson, *(told_turn(turn, number) for number, turn in enumerate(log.turns))]
        binding = [*extracted.kept, *sentences(extracted.lesson), *sentences(extracted.feedback)]
        losses = ["negation" for _ in turned(binding, said.lesson, told)]
        return self._held(replace(extracted, lesson=said.lesson), extracted, losses, said.lesson, told)

    async def experience(self, records: Sequence[TaskRecord], extracted: Experience) -> Experience:
        said = await self._tried(self._summariser.experience(records, extracted), extracted)
        if said is extracted:
            return extracted
        told = [extracted.lesson, *(text for record in records for text in (record.request, record.lesson, record.feedback, *record.kept))]
        binding = [*extracted.kept, *sentences(extracted.lesson), *(each for record in records for each in sentences(record.lesson))]
        losses = ["negation" for _ in turned(binding, said.lesson, told)]
        return self._held(replace(extracted, lesson=said.lesson), extracted, losses, said.lesson, told)

    async def _tried(self, asked: Awaitable[Record], extracted: Record) -> Record:
        try:
            return await asked
        except Exception as error:  # noqa: BLE001 - whatever a summariser does, the record stands
            self.fallen_back[type(error).__name__] += 1
            return extracted

    def _held(self, worded: Record, extracted: Record, losses: Sequence[str], said: str, told: Iterable[str]) -> Record:
        if worded == extracted:
            return extracted
        if not said.strip():
            why = "empty"
        elif len(said) > LONGEST:
            why = "too long"
        elif losses:
            why = losses[0]
        elif _missing(said, "\n".join(told)):
            why = "number made up"
        else:
            self.worded += 1
            return worded
        self.fallen_back[why] += 1
        return extracted


def _missing(said: str, there: str) -> list[str]:
    """The numbers of a text that another does not have."""
    known = set(map(plain_number, numbers(there)))
    return [each for plain, each in {plain_number(each): each for each in numbers(said)}.items() if plain not in known]
