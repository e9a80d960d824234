"""Claims about the benchmark of recall: how it counts, on a conversation made up for it."""

import json
from pathlib import Path

import pytest

from blackboard.text import WEIGHTS
from tests.benchmarks import locomo
from tests.benchmarks.conversations import load
from tests.benchmarks.sizes import TINY


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two small conversations in the shape of the data set."""
    said = ["I adopted a cat", "What is it called?", "Doudou", "My sister paints", "Oils?", "Only watercolours"]
    turns = [{"speaker": ("Ann", "Bob")[number % 2], "dia_id": f"D1:{number + 1}", "text": text} for number, text in enumerate(said)]
    questions = [
        {"question": "What is the cat called?", "evidence": ["D1:3"], "category": 4},
        {"question": "What did Ann's sister paint with?", "evidence": ["D1:4; D1:6"], "category": 1},
        {"question": "Where is it?", "evidence": ["D"], "category": 4},
        {"question": "Did Bob adopt a cat?", "evidence": ["D1:1"], "category": 5},
    ]
    conversation = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023", "speaker_a": "Ann"}
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"sample_id": name, "conversation": conversation, "qa": questions} for name in ("one", "other")]))
    return path


def test_reads_what_was_said_and_asked(data: Path) -> None:
    """Several ids in one string are several; a question without evidence is none."""
    one, _ = load(data)
    assert [question.evidence for question in one.questions] == [{2}, {3, 5}, {0}]
    assert (one.turns[0].speaker, one.turns[0].tokens, str(one.turns[0].time.date())) == ("Ann", 5, "2023-05-08")


def test_neighbours_bring_what_words_do_not(data: Path) -> None:
    """The answer to a question shares no word with what is asked."""
    one, _ = load(data)
    assert 2 in locomo.recall(one)(WEIGHTS)("What is the cat called?")[:3]
    assert 2 not in locomo.bm25(one)("What is the cat called?")


def test_a_budget_holds_the_best_that_fit() -> None:
    """What is too large is skipped."""
    assert locomo.within_budget([2, 0, 1], [5, 3, 9], 12) == {2, 1}
    assert locomo.within_budget([2, 0, 1], [5, 3, 9], 8) == {0, 1}


def test_gives_every_row(data: Path) -> None:
    """On all questions the whole of so short a conversation is recalled; settings are chosen on the other one."""
    rows = {row.name: row for row in locomo.rows(data, TINY)}
    assert rows["recall at 500: as shipped"].value == rows["recall at 500: left out"].value == 100
    assert rows["recall at 500: the last turns"].value == 100
    assert 0 < rows["nDCG@10, MTEB's protocol"].value < 100
