"""The claims of ``agents.memory.experience``."""

from typing import Any

import pytest

from agents.conditions import Situation
from agents.memory.experience import Recollection, recall, recollect
from agents.memory.journal import Journal
from agents.memory.records import Experience
from blackboard.errors import BadValue
from blackboard.testing import running_board


def experience(id: str, request: str, outcome: Any = "success", **more: Any) -> Experience:  # noqa: A002 - its own word
    given = {"lesson": f"lesson {id}", "type": "report", "path": ("query_sales",)} | more
    return Experience(id, outcome, request=request, **given)


ASKED = Situation("Sales by month in the north", type="report", tools=("query_sales", "plot"))


def taken(found: Recollection) -> list[str]:
    return [each.experience.id for each in found.taken]


def test_a_memory_that_looks_alike_but_does_not_apply_is_not_used() -> None:
    """A pair: the same words to the letter but for one; the one that applies is taken, of the other it is told why it is not."""
    applies = experience("applies", "Sales by month in the north, with refunds")
    misleads = experience("misleads", "Sales by month in the north, without refunds")
    found = recollect([misleads, applies], Situation("Sales by month in the north, with refunds", type="report"))
    assert taken(found) == ["applies"]
    (passed,) = found.passed
    assert (passed.experience.id, passed.why) == ("misleads", "its tasks ruled out “refunds”, which the request asks for")
    assert passed.likeness > 0.75


def test_successes_come_first_then_at_most_two_lessons() -> None:
    """However much more alike failures are; what is too many is told."""
    failures = [experience(f"f{n}", "Sales by month in the north", "failure") for n in range(4)]
    successes = [experience(f"s{n}", "Sales by month") for n in range(2)]
    found = recollect([*failures, *successes], ASKED)
    assert taken(found) == ["s0", "s1", "f0", "f1"]
    assert found.ids == ("s0", "s1", "f0", "f1")
    assert [(each.experience.id, each.why) for each in found.passed] == [(f, "2 that are more alike were taken") for f in ("f2", "f3")]
    assert found.text() == "What worked: lesson s0\nWhat worked: lesson s1\nBeware: lesson f0\nBeware: lesson f1"
    assert taken(recollect([*failures, *successes], ASKED, successes=1, lessons=0)) == ["s0"]


def test_a_lesson_is_one_line_of_a_prompt() -> None:
    """However long it is, and whatever it has in it."""
    (line,) = recollect([experience("e", "Sales by month", lesson="a\nb " * 1_000)], ASKED).text().splitlines()
    assert line.startswith("What worked: a b")
    assert len(line) < 700


def test_the_most_alike_comes_first_and_says_why() -> None:
    """By the terms that both requests have, rare ones more; each tells them."""
    near = experience("near", "Sales by month in the north of the country")
    far = experience("far", "Sales by month, as a table of regions")
    found = recollect([far, near], ASKED)
    assert taken(found) == ["near", "far"]
    assert found.taken[0].why == "its tasks are alike (month, north, sale); its tools are at hand"


def test_the_type_is_an_exact_filter() -> None:
    """Another type is not even looked at; one without a type is for all."""
    other, anyones = experience("other", ASKED.request, type="mail"), experience("anyones", ASKED.request, type="")
    found = recollect([other, anyones], ASKED)
    assert (taken(found), found.passed) == (["anyones"], ())


def test_what_is_not_alike_is_not_told() -> None:
    """Nothing in common, nothing known, nothing asked."""
    assert recollect([experience("e", "Book a flight to Denver")], ASKED) == Recollection()
    assert recollect([], ASKED) == Recollection()
    assert recollect([experience("e", "")], Situation("")) == Recollection()
    assert Recollection().text() == ""


def test_a_number_below_0_is_refused() -> None:
    """It names which."""
    with pytest.raises(BadValue, match="lessons -1"):
        recollect([], ASKED, lessons=-1)


async def test_what_is_recalled_from_a_board_is_used() -> None:
    """What is taken grows stronger, what is passed does not."""
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        for request, name in ((ASKED.request, "taken"), (f"{ASKED.request}, without refunds", "passed")):
            await journal.put_experience(experience(name, request, records=("t1",)))
        before = {item.target: item.strength for item in await journal.board.history("experience")}
        asked = Situation(f"{ASKED.request}, and the refunds", type="report", tools=("query_sales",))
        found = await recall(journal.board, asked)
        assert found.ids == ("taken",)
        assert [each.experience.id for each in found.passed] == ["passed"]
        await journal.board.wait_applied()
        after = {item.target: item.strength for item in await journal.board.history("experience")}
        assert after["taken"] > before["taken"]
        assert after["passed"] == before["passed"]


def test_a_number_is_alike_however_it_is_written() -> None:
    """With a comma at the thousands or without: the likeness is whole; that of another number is not, and does not apply."""
    known = experience("e", "Approve up to 3,000 CNY", about=("3,000",))
    (same,) = recollect([known], Situation("Approve up to 3000 CNY", type="report")).taken
    assert same.likeness == pytest.approx(1)
    (other,) = recollect([known], Situation("Approve up to 3,500 CNY", type="report")).passed
    assert other.why == "all its tasks are about 3,000, which the request does not name"
