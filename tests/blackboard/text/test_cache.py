"""What texts come to is kept, and taken for nothing else."""

from collections.abc import Collection, Mapping
from datetime import date

import pytest

from blackboard.archive import Unwritten
from blackboard.text import AnalysisCache, Text, cache
from blackboard.text.analysis import analyse
from tests.blackboard.analyses import counted

CAT, DOG = Text("a red cat", "ann", date(2026, 5, 8)), Text("a dog")


class Kept:
    """A shelf in memory, as a store keeps one."""

    def __init__(self) -> None:
        self.rows: dict[int, bytes] = {}

    def analysed(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        return {each: self.rows[each] for each in ordinals if each in self.rows}

    def write(self, taken: Unwritten) -> None:
        for ordinal in taken.left:
            self.rows.pop(ordinal, None)
        self.rows.update(taken.came)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Text]:
    """The texts that were analysed."""
    return counted(monkeypatch)


def test_nothing_is_analysed_twice(made: list[Text]) -> None:
    """Neither before it is written nor after, by whoever comes next; and it is written once."""
    shelf = Kept()
    one = AnalysisCache(shelf)
    asked = [(7, CAT), (3, DOG)]
    expected = [analyse(CAT), analyse(DOG)]
    assert list(one.analyses(asked)) == list(one.analyses(asked)) == expected
    assert made == [CAT, DOG]
    shelf.write(one.take())
    assert one.take() == Unwritten()
    assert list(one.analyses(asked)) == list(AnalysisCache(shelf).analyses(asked)) == expected
    assert made == [CAT, DOG]


@pytest.mark.parametrize("other", [DOG, CAT._replace(words="a cat"), CAT._replace(speaker="bob"), CAT._replace(day=date(2026, 5, 9))])
def test_another_text_is_analysed_anew(made: list[Text], other: Text) -> None:
    """Whatever of it is another: what stands under the item's number is of the text that it had; and it is replaced."""
    shelf = Kept()
    one = AnalysisCache(shelf)
    list(one.analyses([(7, CAT)]))
    shelf.write(one.take())
    for _ in range(2):
        again = AnalysisCache(shelf)
        assert list(again.analyses([(7, other)])) == [analyse(other)]
        shelf.write(again.take())
    assert made == [CAT, other]


@pytest.mark.parametrize("cut", [0, 5, 14, 20, -1])
def test_what_is_torn_is_analysed_anew(made: list[Text], cut: int) -> None:
    """Wherever it was torn, and whichever byte is another."""
    shelf = Kept()
    one = AnalysisCache(shelf)
    list(one.analyses([(7, CAT)]))
    shelf.write(one.take())
    whole = shelf.rows[7]
    for row in (whole[:cut], whole[:cut] + bytes([whole[cut] ^ 1]) + whole[len(whole[:cut]) + 1 :]):
        shelf.rows[7] = row
        assert list(AnalysisCache(shelf).analyses([(7, CAT)])) == [analyse(CAT)]
    assert made == [CAT] * 3


def test_by_other_rules_it_is_analysed_anew(made: list[Text], monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier version kept is not taken for today's."""
    shelf = Kept()
    one = AnalysisCache(shelf)
    list(one.analyses([(7, CAT)]))
    shelf.write(one.take())
    monkeypatch.setattr(cache, "VERSION", "2")
    list(AnalysisCache(shelf).analyses([(7, CAT)]))
    assert made == [CAT, CAT]


def test_what_is_dropped_is_not_looked_up_and_leaves(made: list[Text]) -> None:
    """Written or not; unless it came again."""
    shelf = Kept()
    one = AnalysisCache(shelf)
    list(one.analyses([(1, CAT), (2, CAT), (3, CAT)]))
    shelf.write(one.take())
    list(one.analyses([(4, DOG)]))
    for ordinal in (1, 2, 4):
        one.drop(ordinal)
    assert list(one.analyses([(2, DOG)])) == [analyse(DOG)]
    shelf.write(one.take())
    assert set(shelf.rows) == {2, 3}
    assert made == [CAT] * 3 + [DOG] * 2


def test_what_is_held_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says when there is much to be written; and holds no more than so much, though nobody writes it."""
    monkeypatch.setattr(cache, "AT_ONCE", 2)
    monkeypatch.setattr(cache, "MOST", 3)
    one = AnalysisCache(Kept())
    due = []
    for ordinal in range(5):
        assert list(one.analyses([(ordinal, CAT)])) == [analyse(CAT)]
        due.append(one.is_due())
    assert due == [False, True, True, True, True]
    assert len(one.take().came) == 3
    assert not one.is_due()


def test_without_a_shelf_nothing_is_held() -> None:
    """A lone network has its index, and no use for more."""
    one = AnalysisCache()
    assert list(one.analyses([(1, CAT)])) == [analyse(CAT)]
    one.drop(1)
    assert one.take() == Unwritten()
