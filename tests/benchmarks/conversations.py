"""LoCoMo's conversations: https://github.com/snap-research/LoCoMo, ``data/locomo10.json`` (CC BY-NC 4.0; Maharana et al., ACL 2024).

The data is not part of this project: whoever has the file gives its path.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ASKED = (1, 2, 3, 4)
"""The categories that have an answer."""


class Turn(NamedTuple):
    """What one said."""

    session: int
    id: str
    speaker: str
    said: str
    """With the caption of a picture that came along."""
    time: datetime

    @property
    def tokens(self) -> int:
        """⌈characters/4⌉ of the rendered turn, as the published baselines count."""
        return ceil(len(f"{self.speaker}: {self.said}") / 4)


class Question(NamedTuple):
    """A question, and the numbers of the turns that hold its evidence."""

    text: str
    category: int
    evidence: frozenset[int]


class Conversation(NamedTuple):
    """A conversation of some weeks, in order, with what is asked about it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def load(path: Path) -> list[Conversation]:
    """All conversations of a file. Questions whose evidence is not there are left out."""
    return [_conversation(each) for each in json.loads(path.read_text())]


def _conversation(data: Mapping[str, Any]) -> Conversation:
    turns = tuple(_turns(data["conversation"]))
    numbers = {turn.id: number for number, turn in enumerate(turns)}
    questions = []
    for asked in data["qa"]:
        named = re.findall(r"D\d+:\d+", " ".join(asked["evidence"]))  # some list several in one string
        evidence = frozenset(numbers[each] for each in named if each in numbers)
        if evidence:
            questions.append(Question(asked["question"], asked["category"], evidence))
    return Conversation(data["sample_id"], turns, tuple(questions))


def _turns(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    sessions = sorted(int(key.removeprefix("session_")) for key in conversation if re.fullmatch(r"session_\d+", key))
    for session in sessions:
        time = datetime.strptime(conversation[f"session_{session}_date_time"], "%I:%M %p on %d %B, %Y")  # noqa: DTZ007 - nobody says where
        for turn in conversation[f"session_{session}"]:
            said = " ".join(filter(None, (turn["text"], turn.get("blip_caption"))))
            yield Turn(session, turn["dia_id"], turn["speaker"], said, time)
