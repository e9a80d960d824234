"""Claims about the benchmark of selection: it measures what it says, on sizes that prove only that it works."""

import json
from pathlib import Path

from tests.benchmarks import selection
from tests.benchmarks.sizes import TINY


def test_gives_every_row() -> None:
    """What does not depend on the machine is reached."""
    rows = {row.name: row for row in selection.selection(TINY)}
    assert {rows[name].verdict for name in ("greedy for a count", "best of two under a budget", "lazy greedy against plain, value")} == {
        "ok"
    }
    assert sum(name.startswith("select, ") for name in rows) == 2


def test_ablations(tmp_path: Path) -> None:
    """All evidence of so short a conversation is chosen, whatever the weights."""
    said = ["I adopted a cat", "What is it called?", "Doudou"]
    turns = [{"speaker": ("Ann", "Bob")[number % 2], "dia_id": f"D1:{number + 1}", "text": text} for number, text in enumerate(said)]
    questions = [{"question": "What is the cat called?", "evidence": ["D1:3"], "category": 4}]
    conversation = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"sample_id": "one", "conversation": conversation, "qa": questions}]))
    rows = selection.ablations(path, TINY)
    assert len(rows) == len(selection.BUDGETS) * len(selection.WAYS)
    assert {row.value for row in rows} == {100}
