"""Claims about ``observe``."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.errors import BadValue
from blackboard.scent import observe
from blackboard.scent.observing import LONGEST
from tests.blackboard.scent.observed import only, said, types, values

TABLE = [
    ("Cancel my order.", "directive", 0.85, 0.95),
    ("取消我的订单。", "directive", 0.85, 0.95),
    ("The number is #A1042", "order_reference", 0.7, 0.88),
    ("订单号是A1042", "order_reference", 0.7, 0.88),
    ("Ship it to 12 High Street, Leeds", "shipping_address", 0.75, 0.90),
    ("寄到南京市中山路12号", "shipping_address", 0.75, 0.90),
    ("By FedEx", "shipping_method", 0.7, 0.90),
    ("用顺丰", "shipping_method", 0.7, 0.90),
    ("The sky over there", "general", 0.3, 0.75),
    ("天空很蓝", "general", 0.3, 0.75),
    ("yes, right", "confirmation", 0.0, 0.0),
    ("对，就这个", "confirmation", 0.0, 0.0),
    ("ok", "chatter", 0.1, 0.3),
    ("嗯", "chatter", 0.1, 0.3),
    ("2026-01-05 10:00:01 ERROR gateway: no answer", "error_log", 0.3, 0.1),
    ("错误：连接超时", "error_log", 0.3, 0.1),
]


@pytest.mark.parametrize(("text", "type_", "concentration", "decay"), TABLE)
def test_each_row_of_the_table_holds_in_both_languages(text: str, type_: str, concentration: float, decay: float) -> None:
    """Chapter 3, "Observe": its type, its concentration, its decay."""
    scent = only(text)
    assert (scent.type, scent.decay) == (type_, decay)
    assert scent.concentration == pytest.approx(concentration)


def test_content_says_the_same_whatever_the_words() -> None:
    """One value stated in other words of the same language is one item."""
    ways = ["ship it to Oslo", "The shipping address is Oslo.", "please deliver to Oslo, thanks"]
    assert {only(way).content for way in ways} == {"Shipping address: Oslo"}
    assert {only(way).content for way in ("把它寄到Oslo", "收货地址是Oslo")} == {"收货地址: Oslo"}
    assert [scent.content for scent in observe("send #b2 by DHL")] == ["Order: B2", "Shipping method (B2): DHL"]
    assert {scent.kind for scent in observe("send #B2 by DHL")} == {"slot"}


@pytest.mark.parametrize(
    "text",
    ["ship it to Shanghai … no, to Beijing", "ship it to Shanghai. No, to Beijing instead!", "Ship to Shanghai, sorry, I meant to Beijing"],
)  # fmt: skip
def test_a_correction_comes_behind_what_it_corrects(text: str) -> None:
    """So that the newer wins."""
    assert values(text, "shipping_address") == ["Shanghai", "Beijing"]


def test_what_is_taken_back_is_said_again() -> None:
    """Though it was said first, too; so the newest wins."""
    assert values("ship it to Leeds. No, ship it to Bath! No, ship it to Leeds", "shipping_address") == ["Leeds", "Bath", "Leeds"]
    assert values("发到上海，不对，发到北京，还是发到上海", "shipping_address") == ["上海", "北京", "上海"]


@pytest.mark.parametrize("text", ["发到上海，不对，发到北京", "寄到上海…改成北京", "送到上海。错了，是北京"])
def test_a_correction_in_chinese_comes_behind_too(text: str) -> None:
    """The same, whichever words correct."""
    assert values(text, "shipping_address") == ["上海", "北京"]


def test_a_correction_alone_is_of_the_address_that_is_shipped_to() -> None:
    """What it corrects was said in another message."""
    assert values("no, to Beijing instead", "shipping_address") == ["Beijing"]
    assert values("改成北京", "shipping_address") == ["北京"]
    assert values("不对，发到北京", "shipping_address") == ["北京"]


def test_a_correction_is_of_the_kind_of_address_that_was_named() -> None:
    """And touches no other slot."""
    assert said("The billing address is Shanghai … no, to Beijing") == [
        ("billing_address", None, "Shanghai"),
        ("billing_address", None, "Beijing"),
    ]
    assert [scent.type for scent in observe("发票寄到上海，改到北京") if scent.value in {"上海", "北京"}] == ["billing_address"] * 2


def test_what_is_denied_is_no_value() -> None:
    """Only what it is instead."""
    assert values("don't ship to Shanghai, ship to Beijing", "shipping_address") == ["Beijing"]
    assert values("不要发到上海，发到北京", "shipping_address") == ["北京"]
    assert values("not to Shanghai but to Beijing", "shipping_address") == ["Beijing"]
    assert values("不是上海，是北京", "shipping_address") == ["北京"]


@pytest.mark.parametrize(
    "text", ['he wrote "ship it to Bath"', "> ship it to Bath", "if you ship it to Bath I am glad", "「寄到北京」", "如果寄到北京"]
)
def test_what_is_quoted_or_supposed_is_no_value(text: str) -> None:
    """It is not what this speaker states."""
    assert values(text, "shipping_address") == []


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Ship it to Beijing?", True), ("Ship it to 12 High Street, Leeds?", True),
        ("Shall I ship it to Beijing?", True), ("It ships to Beijing, right?", True),
        ("Your order ships to Beijing. Is that correct?", True), ("发到北京对吗", True), ("发到北京吗？", True), ("发到北京，对吗？", True),
        ("能发到北京吗", True), ("是不是发到北京", True),
        ("Ship it to Beijing.", False), ("Could you please ship it to Beijing?", False), ("麻烦帮我寄到北京可以吗", False),
        ("Ship it to Beijing. When will it arrive?", False), ("发到北京。什么时候到？", False),
    ],
)  # fmt: skip
def test_a_value_in_a_question_is_asked(text: str, asked: bool) -> None:
    """It counts once it is confirmed; a polite question states."""
    assert [scent.asked for scent in observe(text) if scent.type == "shipping_address"] == [asked]


def test_a_number_of_an_order_is_stated_in_a_question_too() -> None:
    """Who asks where it is names it all the same."""
    assert [scent.asked for scent in observe("Where is my order 88231?")] == [False]
    assert values("订单A1什么时候到？", "order_reference") == ["A1"]


@pytest.mark.parametrize(
    "text",
    ["cancel it!!", "cancel cancel it", "**cancel** it", "CANCEL it", "Please CANCEL IT NOW", "取消！！", "取消取消", "**取消**它"],
)  # fmt: skip
def test_emphasis_makes_it_stronger_and_never_more_than_one(text: str) -> None:
    """× 1.2, at most 1.0."""
    assert only(text).concentration == 1.0
    assert observe(text + " use DHL")[-1].concentration == pytest.approx(0.84)


def test_chinese_and_numbers_and_acronyms_are_not_capitals() -> None:
    """A script without letter case cannot shout, and SF, USB or an order number are always written so."""
    for text in ("寄到北京", "取消订单", "order #A1B2", "by SF", "USB ID", "用EMS"):
        for scent in observe(text):
            assert scent.concentration in {0.75, 0.85, 0.7, 0.3}, (text, scent)


def test_full_width_signs_are_read_and_values_are_slices() -> None:
    """Letters and digits become ASCII; punctuation within a value stays as it was said."""
    assert said("取消订单＃Ａ１！！") == said("取消订单#A1！！")
    assert values("订单２０２６１２３４", "order_reference") == ["20261234"]
    assert values("收货地址：南京市中山路８８号，３号楼", "shipping_address") == ["南京市中山路88号，3号楼"]
    assert values("Ｓｈｉｐ　ｔｏ　Ｂａｔｈ", "shipping_address") == ["Bath"]


def test_traditional_characters_are_read_and_values_are_as_they_were_said() -> None:
    """As simplified ones are."""
    assert said("請取消訂單A12！") == [("directive", "A12", "cancel"), ("order_reference", "A12", "A12")]
    assert values("請寄到台中市西區英才路5號3樓，謝謝", "shipping_address") == ["台中市西區英才路5號3樓"]
    assert values("帳單地址：高雄市鼓山區明誠路9號", "billing_address") == ["高雄市鼓山區明誠路9號"]
    assert values("下午3點45分送達", "delivery_time") == ["下午3點45分"]
    assert [types(text) for text in ("謝謝", "對，沒錯", "繼續剛才的訂單", "系統錯誤：連接超時")] == [
        ["chatter"], ["confirmation"], ["continuation"], ["error_log"]
    ]  # fmt: skip


def test_languages_mix_in_a_message() -> None:
    """Both languages' rules apply to every message."""
    assert said("帮我把 order #A9 取消, and ship #B2 to 上海市 by 顺丰") == [
        ("order_reference", "A9", "A9"),
        ("directive", "A9", "cancel"),
        ("order_reference", "B2", "B2"),
        ("shipping_address", "B2", "上海市"),
        ("shipping_method", "B2", "顺丰"),
    ]


def test_a_general_statement_is_the_stronger_the_more_it_names() -> None:
    """0.2 and 0.1 for each entity or verb, 0.6 at most; 0.3 in doubt, 0.2 for a bare question."""
    assert only("so it goes there").concentration == pytest.approx(0.3)
    assert only("the parcel arrived in Leeds").concentration == pytest.approx(0.4)
    assert only("Anna and Tom bought, paid and received 3 of them in Leeds").concentration == pytest.approx(0.6)
    assert only("for what?").concentration == pytest.approx(0.2)
    assert only("for what? so there").concentration == pytest.approx(0.3)


def test_a_line_of_a_log_gives_nothing_else() -> None:
    """Whatever order it names."""
    assert types("ERROR: order #A1 could not be shipped to Bath, CANCEL") == ["error_log"]
    assert types("Traceback (most recent call last):\n  File 'cancel.py', line 3") == ["error_log"]
    assert "error_log" not in types("I got an error when I paid")


@pytest.mark.parametrize("text", ["", " ", "\n\t \r\n", "\x00\x01", "　"])
def test_nothing_is_said_by_blanks(text: str) -> None:
    """Nor by control characters."""
    assert observe(text) == []


def test_of_a_huge_text_the_beginning_is_read() -> None:
    """The work is bounded, and so is what comes of it."""
    huge = "ship it to Bath. " + "x " * 500_000 + "cancel it"
    assert said(huge) == [("shipping_address", None, "Bath")]
    assert observe("a" * LONGEST + " cancel it") == observe("a" * LONGEST)
    assert len(observe("#A1 " * 300_000)) == 1


def test_odd_characters_do_no_harm() -> None:
    """Lone surrogates, controls, emoji, right-to-left marks."""
    assert values("cancel\x00 order \ud800#A1 😀", "order_reference") == ["A1"]
    assert values("寄到北京😀", "shipping_address") == ["北京"]


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from([text for text, *_ in TABLE] + ["“", '"', "?", "，", "no", "but"]), max_size=6).map(" ".join)
)
def test_any_text_gives_valid_scents_and_the_same_again(text: str) -> None:
    """No text raises; concentrations and decays are from 0 to 1; a function of its arguments."""
    scents = observe(text, topic="hotel", focus="A1")
    assert observe(text, topic="hotel", focus="A1") == scents
    for scent in scents:
        assert 0 <= scent.concentration <= 1
        assert 0 <= scent.decay <= 1
        assert (scent.value is None) == (scent.kind is None) == (not scent.content)
        assert scent.value is None or scent.content
    assert text.strip() or not scents


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Ship it to Leeds", "Shipping address: Leeds"), ("发到Leeds", "收货地址: Leeds"),
        ("The hotel has a rating of 4.5", "Hotel rating: 4.5"), ("酒店评分4.5分", "酒店评分: 4.5分"),
    ],
)  # fmt: skip
def test_an_item_is_in_the_words_of_its_message(text: str, content: str) -> None:
    """So that questions in the same language find it."""
    assert content in {scent.content for scent in observe(text)}


@pytest.mark.parametrize("text", ["Never deliver on a Sunday.", "You must never send it by DHL", "千万不要发顺丰", "禁止周日送货"])
def test_what_is_never_to_be_is_no_value(text: str) -> None:
    """It stands in the rule alone."""
    assert [scent.value for scent in observe(text)] == ["never"]


@pytest.mark.parametrize("rules", ["shop.toml", {"words": {}}])
def test_what_is_no_rules_is_refused(rules: Any) -> None:
    """A file's name is no compiled rules."""
    with pytest.raises(BadValue, match="load_rules"):
        observe("hello", rules=rules)
