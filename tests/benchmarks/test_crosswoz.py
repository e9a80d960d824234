"""Claims about the benchmark of travellers' conversations: how it counts, on dialogues made up for it; and its figures on the data."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from blackboard.scent import PheromoneField, Scent
from tests.benchmarks import crosswoz
from tests.benchmarks.dialogues import Said, Stated, folded, load
from tests.benchmarks.sizes import TINY


def turn(said: str, *stated: tuple[str, str, str]) -> dict[str, Any]:
    return {"role": "usr", "content": said, "dialog_act": [["Inform", *each] for each in stated] + [["Request", "酒店", "电话", ""]]}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A dialogue whose user changes a price, and another of two dishes."""
    changed = [
        turn("想住酒店，价格在300-400元。", ("酒店", "价格", "300-400元")),
        {"role": "sys", "content": "没有。", "dialog_act": [["NoOffer", "酒店", "none", "none"]]},
        turn("那就找一家价格是500到600元的酒店，要有停车场。", ("酒店", "价格", "500-600元"), ("酒店", "酒店设施-停车场", "是")),
        *(turn(said) for said in ("好的。", "电话呢？", "谢谢。", "再见。")),
    ]
    dishes = [turn("我想吃红烧肉和白米粥，推荐一家餐馆吧。", ("餐馆", "推荐菜", "红烧肉"), ("餐馆", "推荐菜", "白米粥"))]
    path = tmp_path / "dialogues.json"
    path.write_text(json.dumps({"one": {"messages": changed}, "other": {"messages": dishes}}, ensure_ascii=False), encoding="utf-8")
    return path


def test_reads_what_the_user_states(data: Path) -> None:
    """Not what is asked, nor what the other one says; a facility is about itself."""
    one, other = load(data)
    assert [len(said.stated) for said in one.said] == [1, 2, 0, 0, 0, 0]
    assert one.said[1].stated[1] == Stated("hotel_facility", "停车场", "停车场")
    assert crosswoz.values_of(other.said[0].stated) == {("restaurant_dish", None): ["红烧肉", "白米粥"]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1小时 - 2小时", "1-2小时"),
        ("２０到５０元", "20-50元"),
        ("4.5分以上", "4.5以上"),
        ("高档", "高档型"),
        ("2、3个小时", "2小时 - 3小时"),
    ],
)
def test_compares_in_one_spelling(one: str, other: str) -> None:
    """Blanks, width, ranges and units do not make another value."""
    assert folded(one) == folded(other)


def test_what_differs_stays_different() -> None:
    """However alike."""
    assert len({folded(each) for each in ("1-2小时", "1-2天", "1小时", "4分以上", "4.5分以上", "400元以下", "400元")}) == 7


def test_counts_what_stands_at_the_end(data: Path) -> None:
    """The last value on the board, with its age; a field alone has forgotten what is weak."""
    price, parking, dish = crosswoz.outcomes(load(data), crosswoz.given)
    assert (price.last, price.former, price.age) == ("500-600", frozenset({"300-400"}), 4)
    assert [fact.value for fact in price.board] == ["500-600元"]
    assert not price.field
    assert [fact.confirm for outcome in (price, parking, dish) for fact in outcome.board] == [True, True, False]
    assert crosswoz.standing([price, parking, dish], lambda each: each.board) == (100, 0)
    assert crosswoz.asks_rightly(price)
    assert not crosswoz.asks_rightly(price._replace(age=1))


def test_an_outdated_value_is_counted(data: Path) -> None:
    """Where a reader hears the first value again."""

    def deaf(said: Said, field: PheromoneField) -> list[Scent]:
        return crosswoz.given(said, field) if field.round == 0 else []

    price, *_ = crosswoz.outcomes(load(data)[:1], deaf)
    assert crosswoz.standing([price], lambda each: each.board) == (0, 1)


def test_gives_every_row(data: Path) -> None:
    """What is plainly said is found, and nothing else."""
    rows = {row.name: row for row in crosswoz.rows(data, TINY)}
    assert rows["from text: all slots found"].value == rows["from text: what of all is right"].value == 100
    assert {row.verdict for row in rows.values()} <= {"ok", ""}
    by_topic = {topic: rows[f"from text: {topic} found"] for topic in ("hotel", "restaurant", "metro")}
    assert {topic: (row.value, row.note) for topic, row in by_topic.items()} == {
        "hotel": (100, "100.0 % right; 3 stated"),
        "restaurant": (100, "100.0 % right; 2 stated"),
        "metro": (0, "0.0 % right; 0 stated"),
    }


@pytest.mark.data
def test_what_travellers_say_is_found() -> None:
    """On the dialogues that stand beside the project: the figures that it must reach."""
    beside = Path(__file__).parents[2] / "../shared/data/crosswoz_val_first120.json"
    path = Path(os.environ.get("PHEROBOARD_CROSSWOZ", beside))
    if not path.is_file():
        pytest.skip(f"no dialogues at {path}; PHEROBOARD_CROSSWOZ names their file")
    assert {row.verdict for row in crosswoz.rows(path, TINY)} <= {"ok", ""}
