"""Whoever puts what was condensed into better words (chapter 5, "Summarisers are pluggable").

Law: what must not be lost is extracted, by rule, before anyone is asked. A summariser is given that record, and gives one of the same thing
back; it may word intents, states and lessons, and nothing else is taken from it.
"""

from collections.abc import Sequence
from typing import Protocol

from agents.memory.records import Experience, StepRecord, TaskLog, TaskRecord, Turn


class Summariser(Protocol):
    """Words the records of any tier. It may take its time, and raise what it likes: then the record stands as it was extracted."""

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
