"""The claims of ``agents.memory.distiller``."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from agents.errors import DistillingFailed
from agents.memory.distiller import distil_board
from agents.memory.distilling import distil
from agents.memory.journal import Journal
from agents.memory.records import Experience, TaskRecord
from agents.memory.summarising import Extractive
from blackboard.errors import BadValue, NotInstalled
from blackboard.testing import running_board
from tests.agents.memory.made import record
from tests.agents.memory.test_likeness import mixed

LOG = "Do not use a log scale."


class Worded(Extractive):
    """Puts a word before each lesson, and counts how often it is asked."""

    def __init__(self, word: str) -> None:
        self.word, self.asked = word, 0

    async def experience(self, records: Sequence[TaskRecord], extracted: Experience) -> Experience:  # noqa: ARG002 - a summariser's
        self.asked += 1
        return replace(extracted, lesson=f"{self.word}: {extracted.lesson}")


async def test_records_on_a_board_become_experiences() -> None:
    """What binds is there to the letter, and each task behind one is reachable by its id, also when its record has faded."""
    async with running_board("ada", "bob") as running:
        ada, bob = Journal(running["ada"]), Journal(running["bob"])
        for n in range(3):
            await ada.put_record(record(str(n), kept=(LOG,)))
        done = await distil_board(bob.board)
        assert (len(done.new), done.renewed, done.gone, done.unchanged, done.records) == (1, (), (), 0, 3)
        (made,) = await ada.experiences()
        assert (made.kept, made.records, (made.id,)) == ((LOG,), ("0", "1", "2"), done.new)
        for _ in range(100):
            await bob.board.end_round()
        await bob.board.wait_applied()
        assert {item.status for item in await bob.board.history("task")} == {"archived"}
        assert [await bob.record(task) for task in made.records] == [record(task, kept=(LOG,)) for task in made.records]


async def test_again_with_the_same_records_nothing_is_said() -> None:
    """And with new ones the experience is renewed, under its id."""
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        for n in range(3):
            await journal.put_record(record(str(n)))
        first = await distil_board(journal.board)
        (said,) = await journal.board.history("experience")
        again = await distil_board(journal.board)
        assert (again.new, again.renewed, again.unchanged) == ((), (), 1)
        assert [item.id for item in await journal.board.history("experience")] == [said.id]
        await journal.put_record(record("3"))
        assert (await distil_board(journal.board)).renewed == first.new
        (made,) = await journal.experiences()
        assert made.records == ("0", "1", "2", "3")


async def test_a_summariser_words_what_is_new() -> None:
    """Once: what stands in its words is not asked for again, until other tasks come; and what does not hold is not taken."""
    worded = Worded("Mind")
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        for n in range(3):
            await journal.put_record(record(str(n)))
        for _ in range(2):
            await distil_board(journal.board, summariser=worded)
        (made,) = await journal.experiences()
        assert (made.lesson, worded.asked) == ("Mind: “Sales by month” and 2 like it went well by query_sales → plot", 1)
        await journal.put_record(record("3"))
        await distil_board(journal.board, summariser=Worded("99 say"))
        (made,) = await journal.experiences()
        assert made.lesson == "“Sales by month” and 3 like it went well by query_sales → plot"


async def test_what_was_told_in_part_is_completed() -> None:
    """As after a kill between two experiences."""
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        records = mixed()
        for each in records:
            await journal.put_record(each)
        whole = distil(records)
        await journal.put_experience(whole[0])
        done = await distil_board(journal.board)
        assert (len(done.new), done.unchanged) == (len(whole) - 1, 1)
        assert sorted(await journal.experiences(), key=lambda each: each.id) == whole


async def test_alike_tasks_are_clustered_in_another_process() -> None:
    """With scikit-learn; what was known of tasks that are now with others stands no more."""
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        for each in mixed():
            await journal.put_record(each)
        assert len((await distil_board(journal.board)).new) == 4
        done = await distil_board(journal.board, by="likeness")
        assert (len(done.renewed), len(done.gone)) == (2, 2)
        assert [len(each.records) for each in await journal.experiences()] == [6, 6]


async def test_a_board_without_records_and_a_number_that_cannot_be() -> None:
    """Nothing comes of nothing; less than one task is refused."""
    async with running_board("ada") as running:
        assert (await distil_board(running["ada"])).records == 0
        with pytest.raises(BadValue, match="least 0"):
            await distil_board(running["ada"], least=0)


async def test_a_process_that_ends_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing changes on the board, and the error says where to look."""
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        for n in range(3):
            await journal.put_record(record(str(n)))
        monkeypatch.setattr("sys.executable", "/bin/false")
        with pytest.raises(DistillingFailed, match="3 records were not distilled: the process ended before"):
            await distil_board(journal.board)
        assert await journal.experiences() == []


async def test_likeness_without_the_package_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any record is read."""
    monkeypatch.setattr("agents.memory.likeness.find_spec", lambda _: None)
    async with running_board("ada") as running:
        with pytest.raises(NotInstalled, match=r"pheroboard\[learn\]"):
            await distil_board(running["ada"], by="likeness")
