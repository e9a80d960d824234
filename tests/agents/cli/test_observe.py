"""agents.cli.observe: a conversation, line by line."""

import json
import os
import pty
import re
import signal
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from math import isnan
from pathlib import Path

import pytest
from rich.console import Console

from agents.cli.observe import WIDE, Shown, _about, _cells, _extend, _line, _rows, _scent, _table
from agents.cli.transcript import Begin, Message
from bus.messages import Fact, FieldView, Scent
from tests.agents.cli.commands import PHEROBOARD, environment, line_of, pheroboard

TALK = """
Hello!
Ship order A789 to 5 Hill Road, Boston.
assistant: Noted.

/begin returns
Cancel order B456!! You must cancel it!
system: ERROR 504: gateway timeout
/end
"""


def test_in_a_pipe(served: Path) -> None:
    """Each message is told with its scents; at the end a table has the field, with what is recalled of it."""
    done = pheroboard(served, "observe", "lab", "--conversation", "pipe", given=TALK)
    assert (done.code, done.err) == (0, "")
    told, _, table = done.out.partition("\n\n")
    assert told.splitlines()[:5] == [
        "round 1, user: Hello!",
        "    → chatter 0.10",
        "round 2, user: Ship order A789 to 5 Hill Road, Boston.",
        "    → order_reference = A789 0.70, shipping_address of A789 = 5 Hill Road, Boston 0.75",
        "round 2, assistant: Noted.",
    ]
    assert "the task 'returns' begins" in told
    assert "round 3, system: ERROR 504: gateway timeout\n    → error_log 0.30\nthe task ends" in told
    head, *rows, about = [re.split(r"\s{2,}", line.strip()) for line in table.splitlines()]
    assert head == ["type", "concentration", "value", "about", "confidence", "said", "ask again"]
    assert rows[0][0] == "directive"
    assert ["order_reference", "0.84", "B456", "B456", "0.84", "in this round", "no"] in rows
    assert ["error_log", "0.30"] in rows
    assert about[0].startswith("round 3; order: B456; can be continued: returns")
    seen = pheroboard(served, "top", "lab", "--kind", "slot", "--as", "viewer", "--json").json
    assert "B456" not in {item["target"] for item in seen}, "what comes of it is private"


def test_as_json(served: Path, tmp_path: Path) -> None:
    """One document a line: what was said, its scents, the field, and the facts with their values."""
    file = tmp_path / "talk.txt"
    file.write_text(TALK, "utf-8")
    done = pheroboard(served, "observe", "lab", str(file), "--conversation", "json", "--json")
    documents = [json.loads(line) for line in done.out.splitlines()]
    assert [each["said"] for each in documents] == [
        {"speaker": "user", "text": "Hello!"},
        {"speaker": "user", "text": "Ship order A789 to 5 Hill Road, Boston."},
        {"speaker": "assistant", "text": "Noted."},
        {"begin": "returns"},
        {"speaker": "user", "text": "Cancel order B456!! You must cancel it!"},
        {"speaker": "system", "text": "ERROR 504: gateway timeout"},
        {"end": True},
    ]
    assert [each["field"].get("round", 0) for each in documents] == [1, 2, 2, 2, 3, 3, 3]
    assert [scent["type"] for scent in documents[1]["scents"]] == ["order_reference", "shipping_address"]
    facts = {fact["type"]: fact for fact in documents[1]["facts"] if fact["round"]}
    assert facts["shipping_address"]["value"] == "5 Hill Road, Boston"
    assert documents[3]["field"]["task"] == "returns"


def test_as_it_comes(served: Path) -> None:
    """What is piped in is observed line by line; Ctrl-C ends it, and what was said is on the board."""
    command = [PHEROBOARD, "observe", "lab", "--conversation", "slow", "--json", "--shared"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(served), cwd=served
    ) as process:
        try:
            assert process.stdin is not None
            for number, text in enumerate(("用顺丰寄出", "Ship it by FedEx"), start=1):
                process.stdin.write(f"{text}\n")
                process.stdin.flush()
                assert json.loads(line_of(process))["field"]["round"] == number
            process.send_signal(signal.SIGINT)
            assert process.wait(10) == 130
            assert process.stderr is not None
            assert process.stderr.read() == ""
        finally:
            process.kill()
    found = pheroboard(served, "top", "lab", "--kind", "slot", "--as", "viewer", "--json").json
    assert [item["value"] for item in found if item["target"] == "slow"] == ["FedEx"]


def test_nothing_said(served: Path) -> None:
    """Blank lines alone: that nothing was said is told."""
    done = pheroboard(served, "observe", "lab", "--conversation", "silent", given="\n \n")
    assert done == (0, "\nNothing has been said that the conversation still knows.\nround 0\n", "")


def test_options(served: Path, tmp_path: Path) -> None:
    """A preset, rules of one's own, and a picture."""
    rules, picture = tmp_path / "gifts.toml", tmp_path / "field.png"
    rules.write_text("[types.gift]\nlabel = 'Gift'\nconcentration = 0.7\ndecay = 0.9\npatterns = ['gift: (?P<value>[a-z]+)']\n", "utf-8")
    options = ["--conversation", "options", "--preset", "tutoring", "--rules", str(rules), "--plot", str(picture), "--json"]
    done = pheroboard(served, "observe", "lab", *options, given="gift: ribbon\nhello\n")
    assert (done.code, done.err) == (0, "")
    last = json.loads(done.out.splitlines()[-1])
    assert last["field"]["settings"]["max_rounds"] == 12
    assert [fact["value"] for fact in last["facts"] if fact["type"] == "gift"] == ["ribbon"]
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_refusals(served: Path, tmp_path: Path) -> None:
    """What cannot be done is told in one line, with the cure; what was observed before stays."""
    nowhere = pheroboard(served, "observe", "lab", "nowhere.txt")
    assert (nowhere.code, nowhere.err.count("\n")) == (1, 1)
    assert "nowhere.txt cannot be read (No such file or directory): name a file of messages, one a line" in nowhere.err
    rules = tmp_path / "wrong.toml"
    rules.write_text("[types.gift]\nconcentration = 7\n", "utf-8")
    wrong = pheroboard(served, "observe", "lab", "--rules", str(rules), given="hello")
    assert (wrong.code, wrong.out) == (1, "")
    assert "wrong.toml" in wrong.err
    unseen = pheroboard(served, "observe", "lab", "--plot", str(tmp_path), given="hello")
    assert (unseen.code, unseen.out) == (1, "")
    assert "name a file, in a folder that is there" in unseen.err
    picture = tmp_path / "field.png"
    assert pheroboard(served, "observe", "nowhere", "--plot", str(picture), given="hello").code == 1
    assert not picture.exists()
    late = pheroboard(served, "observe", "lab", "--conversation", "late", given="Ship it by DHL\n/begin\nhello\n")
    assert late.code == 1
    assert late.out.startswith("round 1, user: Ship it by DHL")
    assert late.err == "pheroboard: line 2 of the standard input: /begin begins no task: name it, as in /begin returns\n"
    nobody = pheroboard(served, "observe", "lab", "--conversation", "x" * 300, given="hello")
    assert (nobody.code, nobody.err.count("\n")) == (1, 1)


def test_a_long_message(served: Path) -> None:
    """It is observed, and that its end is not read is told apart from what it comes to."""
    done = pheroboard(served, "observe", "lab", "--conversation", "long", "--json", given="Ship it by DHL. " + "a" * 5000)
    assert (done.code, done.err) == (0, "a message of 5,016 characters: only the first 4,096 are read\n")
    assert done.json["scents"][0]["value"] == "DHL"
    whole = pheroboard(served, "observe", "lab", "--conversation", "long", given="a" * 4096)
    assert (whole.code, whole.err) == (0, ""), "of this nothing is left unread"


def test_a_scent_in_words() -> None:
    """What it is about is told where it is not its value, and that a value is only asked, too."""
    assert _scent(Scent("gift", 0.7, 0.9, "A1", "ribbon", asked=True)) == "gift of A1 = ribbon (asked) 0.70"
    assert _scent(Scent("order_reference", 0.7, 0.9, "A1", "A1")) == "order_reference = A1 0.70"
    assert _scent(Scent("chatter", 0.1, 0.3)) == "chatter 0.10"


def test_a_line_of_others() -> None:
    """What steers a terminal is shown as what it is, also in what is said and in the name of a task."""
    nothing = Shown(FieldView(round=1), ())
    scent = Scent("gift", 0.7, 0.9, None, "\x1b[2J")
    told = [_line(said, [scent], nothing) for said in (Message("user", "\x1b[2J"), Begin("\x1b[2J"))]
    assert "\x1b" not in "".join(told)
    assert told[0] == "round 1, user: \\x1b[2J\n    → gift = \\x1b[2J 0.70"


def test_a_fact_in_words() -> None:
    """A sentence beside its point; what has no value says itself once."""
    fact = Fact(type="directive", value="cancel", confidence=0.85, round=1, staleness=1, confirm=False, content="Please drop it")
    assert _cells(fact)[0] == "cancel: Please drop it"
    assert _cells(fact)[3] == "1 round ago"
    assert (
        _cells(Fact(type="note", value=None, confidence=0.5, round=1, staleness=0, confirm=False, content="ring twice"))[0] == "ring twice"
    )


def test_a_task_without_a_name_can_be_continued() -> None:
    """The word for it stands in its name's place."""
    assert _about(FieldView(round=2, snapshots=("", "returns"))) == "round 2; can be continued: without a name, returns"


def test_a_curve_is_broken_off() -> None:
    """Where a field knows nothing of a type; what it knew earlier in the same round stays."""
    curves: dict[str, dict[int, float]] = defaultdict(dict)
    for round_, concentrations in ((1, {"a": 0.5}), (1, {"b": 0.7}), (2, {"b": 0.6}), (3, {"a": 0.4})):
        _extend(curves, FieldView(round=round_, concentrations=concentrations))
    assert {name: list(curve) for name, curve in curves.items()} == {"a": [1, 2, 3], "b": [1, 2, 3]}
    assert [round_ for curve in curves.values() for round_, value in curve.items() if isnan(value)] == [2, 3]
    assert curves["a"][1] == 0.5


def test_words_of_others() -> None:
    """What steers a terminal, or would be read as a style, is shown as what it is."""
    fact = Fact(
        type="gift", value="[b]\x1b[2J", confidence=0.7, round=0, staleness=3, confirm=True, target="[/b]", content="Gift: [b]\x1b[2J"
    )
    field = FieldView(round=3, concentrations={"[red]": 0.5}, task="[/red]")
    console = Console(width=140, file=StringIO(), record=True)
    console.print(_table(Shown(field, (fact,)), 140))
    shown = console.export_text()
    assert re.search(r"^gift +0.00 +\[b\]\\x1b\[2J +\[/b\] +0.70 +elsewhere +yes", shown, re.MULTILINE)
    assert "[red]" in shown
    assert "task: [/red]" in shown


def test_several_facts_of_a_type() -> None:
    """The first stands beside the name of the type, the others beneath it; what the field has forgotten comes last."""
    facts = [
        Fact(type=type_, value=value, confidence=0.7, round=1, staleness=0, confirm=False, content=f"{type_}: {value}")
        for type_, value in (("color", "red"), ("color", "blue"), ("age", 7))
    ]
    rows = _rows(Shown(FieldView(round=1, concentrations={"color": 0.9, "chatter": 0.1}), tuple(facts)))
    assert [(type_, concentration, cells[0]) for type_, concentration, cells in rows] == [
        ("color", 0.9, "red"),
        ("", None, "blue"),
        ("chatter", 0.1, ""),
        ("age", 0.0, "7"),
    ]


def test_a_narrow_terminal() -> None:
    """Has no bars, and its words are whole."""
    fact = Fact(
        type="shipping_address", value="9 Elm Road, Bath", confidence=0.6, round=2, staleness=1, confirm=False, target="A789",
        content="Shipping address (A789): 9 Elm Road, Bath",
    )  # fmt: skip
    console = Console(width=80, file=StringIO(), record=True)
    console.print(_table(Shown(FieldView(round=3, concentrations={"shipping_address": 0.6}), (fact,)), 80))
    shown = console.export_text()
    assert "█" not in shown
    assert {"shipping_address", "concentration", "confidence", "A789"} <= set(shown.split())


def test_a_wide_terminal() -> None:
    """Has a column more, of bars."""
    nothing = Shown(FieldView(), ())
    assert [len(_table(nothing, width).columns) for width in (WIDE - 1, WIDE)] == [7, 8]


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal; the second is for a process."""
    ours, theirs = pty.openpty()
    try:
        yield ours, theirs
    finally:
        os.close(ours)
        os.close(theirs)


UP = re.compile(r"\x1b\[[0-9]*A")
"""What moves a terminal's cursor back over lines that it shows."""


def shown(ours: int, until: str) -> tuple[str, bool]:
    """What a terminal shows, without colours, up to what meets a pattern; and does any of it change in its place?

    The test's timeout bounds it.
    """
    raw = seen = ""
    while not re.search(until, seen):
        raw += os.read(ours, 4096).decode(errors="replace")
        seen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", raw)
    return seen, bool(UP.search(raw))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("typed", [False, True])
def test_in_a_terminal(served: Path, tmp_path: Path, typed: bool) -> None:
    """The table has bars. For a file it changes in its place, beneath what was said; what a user types has a table each."""
    file = tmp_path / "talk.txt"
    file.write_text("Ship it by DHL\nShip it by FedEx\n", "utf-8")
    arguments = ["observe", "lab", *([] if typed else [str(file)]), "--conversation", f"terminal-{typed}"]
    env = {**environment(served), "TERM": "xterm", "COLUMNS": "140", "LINES": "40"}
    with (
        terminal() as (ours, theirs),
        subprocess.Popen([PHEROBOARD, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=env, cwd=served) as process,
    ):
        try:
            if typed:
                os.write(ours, file.read_bytes())
            seen, in_place = shown(ours, rf"FedEx\s+terminal-{typed}\s+0.70\s+in this round")
            if typed:
                os.write(ours, b"\x04")  # the end of what is typed
            assert process.wait(10) == 0
        finally:
            process.kill()
    assert ("observing on lab as operator: type what is said, a line each (Ctrl-D ends it)" in seen) == typed
    assert in_place != typed
    assert "→ shipping_method = DHL 0.70" in seen
    assert re.search(r"shipping_method\s+█+", seen)
