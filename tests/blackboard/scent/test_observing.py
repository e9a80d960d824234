"""Claims about ``observe``."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.errors import BadValue
from blackboard.scent import FieldSettings, Scent, observe
from blackboard.scent.observing import LONGEST


def said(text: str, *, topic: str | None = None, focus: str | None = None) -> list[tuple[str, str | None, object]]:
    """Type, target and value of each scent."""
    return [(scent.type, scent.target, scent.value) for scent in observe(text, topic=topic, focus=focus)]


def only(text: str) -> Scent:
    """The one scent of a text."""
    scents = observe(text)
    assert len(scents) == 1, scents
    return scents[0]


def types(text: str) -> list[str]:
    return [scent.type for scent in observe(text)]


def values(text: str, type_: str) -> list[object]:
    return [scent.value for scent in observe(text) if scent.type == type_]


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


VERBS = [
    ("cancel", "cancel it", "取消它", "state"),
    ("delete", "delete it", "删除它", "state"),
    ("change", "change it", "修改它", "state"),
    ("replace", "replace it", "替换它", "state"),
    ("must", "it must be wrapped", "必须包装", "constraint"),
    ("never", "never ring the bell", "禁止按铃", "constraint"),
    ("keep", "keep it", "保留它", "constraint"),
    ("lock", "lock it", "锁定它", "constraint"),
]


@pytest.mark.parametrize(("verb", "english", "chinese", "kind"), VERBS)
def test_every_directive_word_is_one_in_both_languages(verb: str, english: str, chinese: str, kind: str) -> None:
    """A request is a state, a standing rule a constraint; the value is the canonical verb, the content the sentence."""
    for text in (english, chinese):
        scent = only(text)
        assert (scent.type, scent.value, scent.kind, scent.content) == ("directive", verb, kind, text)


def test_each_further_directive_word_adds_up_to_one() -> None:
    """0.85, then + 0.15, at most 1.0."""
    assert [scent.concentration for scent in observe("cancel it")] == [0.85]
    assert [scent.concentration for scent in observe("取消并删除")] == [1.0, 1.0]
    assert [scent.concentration for scent in observe("cancel this, delete that, keep the third")] == [1.0] * 3


def test_a_message_carries_several_scents_each_about_its_own_order() -> None:
    """Chapter 3's example: what is to be cancelled and how the other is sent."""
    assert said("cancel order #A1 and send #B2 by SF Express") == [
        ("directive", "A1", "cancel"),
        ("order_reference", "A1", "A1"),
        ("order_reference", "B2", "B2"),
        ("shipping_method", "B2", "SF Express"),
    ]
    assert said("取消订单A1，把订单B2用顺丰寄到成都") == [
        ("directive", "A1", "cancel"),
        ("order_reference", "A1", "A1"),
        ("order_reference", "B2", "B2"),
        ("shipping_method", "B2", "顺丰"),
        ("shipping_address", "B2", "成都"),
    ]


def test_what_names_no_order_is_about_the_one_before_or_the_focus() -> None:
    """Of the clause, then of what was said before, then of the conversation."""
    assert said("cancel it", focus="A1") == [("directive", "A1", "cancel")]
    assert said("发到北京", focus="A1") == [("shipping_address", "A1", "北京")]
    assert said("It is about #B2. Please cancel it.", focus="A1")[-1] == ("directive", "B2", "cancel")
    assert said("Cancel it, I mean order #B2", focus="A1")[0] == ("directive", "B2", "cancel")
    assert said("My name is Anna", focus="A1") == [("name", None, "Anna")]
    assert said("I have #B2, send by DHL #A1")[-2:] == [("shipping_method", "A1", "DHL"), ("order_reference", "A1", "A1")]
    assert said("#A1 and #B2 go by DHL")[-1] == ("shipping_method", "B2", "DHL")
    assert said("I have #B2, send it by DHL, then #A1")[1] == ("shipping_method", "B2", "DHL")
    assert said("Send it by DHL. Order #A1 is late.")[0] == ("shipping_method", None, "DHL")


def test_who_denies_a_thing_names_its_order_all_the_same() -> None:
    """What is denied is the verb; without one it is the order."""
    assert said("I no longer want order 5120, please cancel it") == [("order_reference", "5120", "5120"), ("directive", "5120", "cancel")]
    assert said("不要修改订单5120，取消") == [("order_reference", "5120", "5120"), ("directive", "5120", "cancel")]
    assert said("not #A12 but #A13") == [("order_reference", "A13", "A13")]
    assert said("A12先别取消，B13取消") == [
        ("order_reference", "A12", "A12"),
        ("order_reference", "B13", "B13"),
        ("directive", "B13", "cancel"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "My order is A1001, please cancel it",
        "A1001 please cancel",
        "A1001: cancel it",
        "For A1001, cancel it",
        "A1001不要了，帮我取消吧",
        "A1001，取消",
        "刚下单A1001，取消吧",
    ],
)
def test_a_number_that_leads_is_an_order(text: str) -> None:
    """A request goes to no other order than the one that its sentence begins with, said without the word."""
    assert ("directive", "A1001", "cancel") in said(text, focus="B2")
    assert ("order_reference", "A1001", "A1001") in said(text, focus="B2")


def test_several_numbers_that_lead_are_orders() -> None:
    """What is asked for is asked for of all of them."""
    assert said("A1001和A1002都取消", focus="B2")[-2:] == [("directive", "A1001", "cancel"), ("directive", "A1002", "cancel")]


def test_an_order_is_sent_somewhere() -> None:
    """By its number alone, too."""
    assert ("shipping_address", "A1001", "9 Elm Road, Bath") in said("Send A1001 to 9 Elm Road, Bath", focus="B2")


@pytest.mark.parametrize("text", ["my address is wrong", "The address is not correct", "my address is the same as before"])
def test_what_an_address_is_like_is_none(text: str) -> None:
    """Nobody lives at *wrong*."""
    assert "shipping_address" not in {type_ for type_, _, _ in said(text)}


@pytest.mark.parametrize("text", ["My order is 2 days late", "The A380, please", "send it to 5 King Street, Room A1002, Leeds"])
def test_a_number_elsewhere_is_no_order(text: str) -> None:
    """Neither a count, nor goods, nor a room."""
    assert "order_reference" not in {type_ for type_, _, _ in said(text)}


def test_a_request_is_about_all_orders_that_are_named_together() -> None:
    """Before it or behind it, however they are parted; and about none that is only named near."""

    def cancelled(text: str) -> list[str | None]:
        return [scent.target for scent in observe(text) if scent.type == "directive" and scent.value == "cancel"]

    assert cancelled("cancel order 1001, 1002 and #A3") == ["1001", "1002", "A3"]
    assert cancelled("取消订单1001、1002和1003") == ["1001", "1002", "1003"]
    assert cancelled("把订单A1和B2取消") == ["A1", "B2"]
    assert cancelled("cancel #A1, keep #B2") == ["A1"]
    assert cancelled("cancel #A1 instead of #B2") == ["A1"]
    assert cancelled("寄出A1后把B2取消") == ["B2"]


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("use 5 Elm Street as the billing address", "billing_address", "5 Elm Street"),
        ("把杭州市文三路5号设为备用地址", "spare_address", "杭州市文三路5号"),
        ("Ship to: 123 Main St, Leeds", "shipping_address", "123 Main St, Leeds"),
        ("My address has changed to 4 Low Lane, York", "shipping_address", "4 Low Lane, York"),
        ("change the courier to FedEx", "shipping_method", "FedEx"),
        ("快递换成顺丰", "shipping_method", "顺丰"),
        ("发到 北京市 朝阳区 建国路 88 号", "shipping_address", "北京市 朝阳区 建国路 88 号"),
        ("改成下午三点", "delivery_time", "下午三点"),
    ],
)  # fmt: skip
def test_values_are_found_in_other_words(text: str, type_: str, value: str) -> None:
    """As people say it."""
    assert values(text, type_) == [value]


def test_content_says_the_same_whatever_the_words() -> None:
    """One value stated in other words of the same language is one item."""
    ways = ["ship it to Oslo", "The shipping address is Oslo.", "please deliver to Oslo, thanks"]
    assert {only(way).content for way in ways} == {"Shipping address: Oslo"}
    assert {only(way).content for way in ("把它寄到Oslo", "收货地址是Oslo")} == {"收货地址: Oslo"}
    assert [scent.content for scent in observe("send #b2 by DHL")] == ["Order: B2", "Shipping method (B2): DHL"]
    assert {scent.kind for scent in observe("send #B2 by DHL")} == {"slot"}


@pytest.mark.parametrize(
    "text",
    [
        "do not cancel my order", "Don't delete it!", "I don't want to cancel", "no need to change it",
        "不要取消订单", "别取消", "我不想取消", "先别修改",
        "can I cancel?", "Should I cancel it or keep it?", "How do I change it", "Why did you cancel my order?",
        "可以取消吗", "怎么修改呢", "为什么取消我的订单？",
        'the page says "cancel the order"', "he said cancel it", "> cancel my order", "if I cancel it now",
        "客服说“取消订单”", "他说要取消", "「删除」按钮", "如果取消的话", "我已经取消了",
        "the cancellation was fine", "特别好的级别", "the change suits me", "You never called", "I never said to delete anything",
        "I want neither to cancel nor to change it", "I must admit it is nice", "she wanted me to delete it", "a must-have",
        "nobody asked you to change it",
        "To cancel, press the red button", "My request to change it was lost", "it must have gone to the wrong house",
        "Never have I seen that", "Update: it came", "系统自动取消了我的订单",
        "there is no way to cancel it", "我必须说很好", "先不取消了", "不修改", "他让我取消", "取消不了", "點了取消沒反應", "不要取消訂單",
    ],
)  # fmt: skip
def test_what_is_denied_asked_quoted_supposed_or_past_is_no_directive(text: str) -> None:
    """A directive is what the speaker wants done."""
    assert "directive" not in types(text)


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("could you please cancel order 12345", "cancel"), ("can you cancel it?", "cancel"), ("would you delete it?", "delete"),
        ("麻烦帮我取消", "cancel"), ("能帮我取消吗？", "cancel"), ("你能把它删除吗", "delete"), ("请修改一下，可以吗", "change"),
        ("Would it be possible for you to delete it?", "delete"),
        ("don't forget to cancel it", "cancel"), ("别忘了取消", "cancel"), ("不想要了取消吧", "cancel"), ("特别想取消", "cancel"),
        ("If it is late, cancel it", "cancel"), ('please cancel the order "blue shoes"', "cancel"),
    ],
)  # fmt: skip
def test_a_polite_question_is_a_request(text: str, verb: str) -> None:
    """And what seems to deny may urge."""
    assert verb in values(text, "directive")


@pytest.mark.parametrize("text", ["never cancel my orders", "You must not cancel it", "禁止取消", "千万不要取消", "不得删除", "绝不修改"])
def test_what_is_forbidden_is_a_rule_and_no_request(text: str) -> None:
    """Its other words are counted, but are not to be done."""
    scent = only(text)
    assert (scent.type, scent.value, scent.kind, scent.concentration) == ("directive", "never", "constraint", 1.0)


def test_another_rule_beside_what_is_forbidden_is_one() -> None:
    """Only requests are what is forbidden."""
    assert values("禁止取消必须保留", "directive") == ["never", "keep"]


ADDRESSES = [
    ("shipping_address", "Ship it to 9 Elm Road, Bath", "9 Elm Road, Bath"),
    ("billing_address", "The billing address is 9 Elm Road, Bath", "9 Elm Road, Bath"),
    ("return_address", "Return it to 9 Elm Road, Bath", "9 Elm Road, Bath"),
    ("spare_address", "my backup address is 9 Elm Road, Bath", "9 Elm Road, Bath"),
    ("temporary_address", "my temporary address: 9 Elm Road, Bath", "9 Elm Road, Bath"),
    ("shipping_address", "收货地址是武汉市解放大道688号", "武汉市解放大道688号"),
    ("billing_address", "发票寄到武汉市解放大道688号", "武汉市解放大道688号"),
    ("return_address", "退货地址：武汉市解放大道688号", "武汉市解放大道688号"),
    ("spare_address", "备用地址是武汉市解放大道688号", "武汉市解放大道688号"),
    ("temporary_address", "临时地址为武汉市解放大道688号", "武汉市解放大道688号"),
]


@pytest.mark.parametrize(("type_", "text", "value"), ADDRESSES)
def test_five_kinds_of_address_are_five_slots(type_: str, text: str, value: str) -> None:
    """Each with the decay that the field's settings give to addresses."""
    (scent,) = observe(text, settings=FieldSettings(address=0.87))
    assert (scent.type, scent.value, scent.decay) == (type_, value, 0.87)


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("Please ship it to No. 1288, Century Avenue, Room 5-302, thanks", "shipping_address", "No. 1288, Century Avenue, Room 5-302"),
        ("send it to 350 5th Ave, New York, NY 10118 by UPS", "shipping_address", "350 5th Ave, New York, NY 10118"),
        ("deliver it to 21 Mill Street, Leeds LS1 4DT by DHL", "shipping_address", "21 Mill Street, Leeds LS1 4DT"),
        ("收货地址杭州市文三路9号，谢谢", "shipping_address", "杭州市文三路9号"),
        ("send to 5 Hill Road, Boston MA 02134, USA", "shipping_address", "5 Hill Road, Boston MA 02134, USA"),
        ("ship it to 1 Main St, Ottawa, ON K1A 0B1, please", "shipping_address", "1 Main St, Ottawa, ON K1A 0B1"),
        ("The return address is P.O. Box 123, Denver.", "return_address", "P.O. Box 123, Denver"),
        ("寄到北京市朝阳区建国路88号院5号楼1203室，谢谢", "shipping_address", "北京市朝阳区建国路88号院5号楼1203室"),
        ("收货地址：深圳市南山区科技园，3号楼，502室，收件人：张三", "shipping_address", "深圳市南山区科技园，3号楼，502室"),
        ("Deliver it at 14:30", "delivery_time", "14:30"),
        ("Deliver on Monday at 3:15 pm please", "delivery_time", "Monday at 3:15 pm"),
        ("下午3点45分送到", "delivery_time", "下午3点45分"),
        ("明天上午9点到12点之间送", "delivery_time", "明天上午9点到12点"),
        ("I called at 14:30", "time", "14:30"),
        ("电话是010-63553377", "phone", "010-63553377"),
        ("call me at +44 20 7946 0958", "phone", "+44 20 7946 0958"),
        ("two boxes please", "quantity", "two boxes"),
        ("预算5000元以内", "budget", "5000元以内"),
        ("收件人是李四", "recipient", "李四"),
        ("My user ID is U12345", "user_id", "U12345"),
        ("我是黄金会员", "account_level", "黄金会员"),
        ("please speak English", "language", "English"),
        ("用支付宝付款", "payment_method", "支付宝"),
        ("write to tom@example.org", "email", "tom@example.org"),
        ("tracking number 1Z999AA10123456784", "tracking_number", "1Z999AA10123456784"),
        ("ship to 6 Mill Row, Hull HU1 3AB, UK please", "shipping_address", "6 Mill Row, Hull HU1 3AB, UK"),
        ("Ship it to 40 Bay St W, Toronto ON M5J 2N8.", "shipping_address", "40 Bay St W, Toronto ON M5J 2N8"),
        ("Deliver to 2-4-6 Ueno, Taito-ku, Tokyo 110-0005", "shipping_address", "2-4-6 Ueno, Taito-ku, Tokyo 110-0005"),
        ("My address is Av. Central 77, Porto Alegre - RS, 90010-150", "shipping_address", "Av. Central 77, Porto Alegre - RS, 90010-150"),
        ("please send the box to Flat 5/2, 9 Fern St, Perth", "shipping_address", "Flat 5/2, 9 Fern St, Perth"),
        ("ship it to my flat at 30 Dale Road, Luton LU1 1AA", "shipping_address", "30 Dale Road, Luton LU1 1AA"),
        ("ship to 6 fern lane, old quarry park", "shipping_address", "6 fern lane, old quarry park"),
        ("Order 6120: change address to 5 Pier View, Cork", "shipping_address", "5 Pier View, Cork"),
        ("send it to Lindenstr. 4, 50674 Köln", "shipping_address", "Lindenstr. 4, 50674 Köln"),
        ("bill it to Brown Ltd., 9 Cole Hill, Bath", "billing_address", "Brown Ltd., 9 Cole Hill, Bath"),
        ("ship it to my aunt: 7 Elm Row, Ayr", "shipping_address", "7 Elm Row, Ayr"),
        ("寄到45 Rose Street, London SW1 2AA，谢谢", "shipping_address", "45 Rose Street, London SW1 2AA"),
        ("收货地址是Flat 9, 45 Rose Street, Leeds", "shipping_address", "Flat 9, 45 Rose Street, Leeds"),
        ("我的address是45 Rose Street, Leeds", "shipping_address", "45 Rose Street, Leeds"),
        ("ship到苏州市平江路8号", "shipping_address", "苏州市平江路8号"),
        ("寄到：苏州市平江路8号 T2 B座901", "shipping_address", "苏州市平江路8号 T2 B座901"),
        ("寄苏州平江路8号吧", "shipping_address", "苏州平江路8号"),
        ("deliver it on 12/24", "delivery_time", "12/24"),
        ("PO-2031/4/15-9 is late", "order_reference", "PO-2031/4/15-9"),
        ("mail o'dea.k@example.org", "email", "o'dea.k@example.org"),
        ("I take the dark green ones", "color", "dark green"),
    ],
)  # fmt: skip
def test_values_are_kept_whole(text: str, type_: str, value: str) -> None:
    """With their digits, minutes and commas; and nothing of what is only said around them."""
    assert values(text, type_) == [value]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        (
            "Bill it to 8 Gate St, York and ship it to 3 Weir Rd, Hull",
            {"billing_address": "8 Gate St, York", "shipping_address": "3 Weir Rd, Hull"},
        ),
        ("Ship it to 8 Gate St, York, not to 9 Gate St", {"shipping_address": "8 Gate St, York"}),
        ("Ship it to 8 Gate St, York, I work there at the park", {"shipping_address": "8 Gate St, York"}),
        ("Send the bill to joe@example.org", {"email": "joe@example.org"}),
        ("My billing address is the same as my shipping address", {}),
        ("send it to my email", {}),
        ("发到我邮箱", {}),
        ("寄到12", {}),
        ("My address is wrong", {}),
        ("the address is hard to find", {}),
        ("The billing address was changed by mistake", {}),
        ("MY ADDRESS IS MISSING", {}),
        ("ship to multiple addresses", {}),
        ("收货地址是上次那个", {}),
        ("my address is flat 2, 8 gate street", {"shipping_address": "flat 2, 8 gate street"}),
    ],
)
def test_an_address_ends_where_another_thing_is_said(text: str, rest: dict[str, str]) -> None:
    """What follows a comma is of it only if it looks like it."""
    assert {scent.type: scent.value for scent in observe(text) if scent.value} == rest


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
    ("text", "named"),
    [
        ("Do not cancel order #A1", ["A1"]), ("Don't change order #A1. Ship it to Leeds", ["A1"]), ("不要取消订单A1", ["A1"]),
        ("Never cancel order #A1", ["A1"]), ("Not order #A1, order #B2", ["B2"]), ("不是订单A1，是订单B2", ["B2"]),
    ],
)  # fmt: skip
def test_an_order_is_named_also_by_what_is_not_to_be_done_with_it(text: str, named: list[str]) -> None:
    """So what follows is about it; but not by what it is not."""
    assert values(text, "order_reference") == named
    assert {scent.target for scent in observe(text) if scent.type == "shipping_address"} <= {"A1"}


@pytest.mark.parametrize(
    "text", ["yes", "Yes, right.", "correct", "that's right", "ok, yes", "对", "是的", "对，就这个", "嗯，没错", "确认", "就这样吧"]
)
def test_an_answer_that_confirms(text: str) -> None:
    """It carries no value, and confirms what was said before."""
    scent = only(text)
    assert (scent.type, scent.value, scent.content, scent.kind) == ("confirmation", None, "", None)


@pytest.mark.parametrize("text", ["ok", "OK!", "嗯", "好的", "好的，谢谢", "thanks a lot", "hello there", "👍", "哈哈哈", "…", "在吗？"])
def test_small_talk_never_confirms(text: str) -> None:
    """A message of nothing else."""
    assert types(text) == ["chatter"]


@pytest.mark.parametrize(
    "text", ["对了，问一下", "对不起，我迟到", "right now I am busy", "确认一下地址在哪", "correct the spelling", "is that right?"]
)
def test_what_begins_as_an_answer_need_not_be_one(text: str) -> None:
    """By the way, sorry, right now."""
    assert "confirmation" not in types(text)


def test_an_answer_may_say_more() -> None:
    """It is both."""
    assert said("yes, ship it to Bath") == [("confirmation", None, None), ("shipping_address", None, "Bath")]
    assert types("好的，寄到西安") == ["shipping_address"]


@pytest.mark.parametrize(
    "text",
    ["continue with the order from before", "Let's go back to what we discussed earlier", "接着刚才的订单", "继续上次的任务"],
)  # fmt: skip
def test_what_takes_up_the_last_task(text: str) -> None:
    """A governor brings its snapshot back."""
    assert types(text) == ["continuation"]


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
    ("text", "verb", "kind"),
    [
        ("Would you like me to cancel order A1?", "cancel", "state"),
        ("Shall I change it?", "change", "state"),
        ("Do you want us to keep it?", "keep", "constraint"), ("需要帮您取消订单A1吗？", "cancel", "state"),
        ("您确定要删除它吗", "delete", "state"),
    ],
)  # fmt: skip
def test_what_is_offered_is_asked(text: str, verb: str, kind: str) -> None:
    """It is done once it is confirmed."""
    [directive] = [scent for scent in observe(text) if scent.type == "directive"]
    assert (directive.value, directive.kind, directive.asked) == (verb, kind, True)


@pytest.mark.parametrize(
    "text", ["He asked: would you like me to cancel it?", "“Shall I cancel it?”", "You need not ask whether to cancel it"]
)
def test_what_others_offer_is_not(text: str) -> None:
    """Nor is what merely speaks of it."""
    assert "directive" not in {scent.type for scent in observe(text)}


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


@pytest.mark.parametrize(
    ("text", "shipping", "billing"),
    [
        ("ship to 88 Hill Road, Leeds, and the billing address is 9 Long Lane, York", "88 Hill Road, Leeds", "9 Long Lane, York"),
        ("发到成都市天府大道88号，发票地址是武汉市中山路9号", "成都市天府大道88号", "武汉市中山路9号"),
    ],
)
def test_one_address_ends_where_the_next_is_spoken_of(text: str, shipping: str, billing: str) -> None:
    """Though a comma may also stand within one."""
    assert {scent.type: scent.value for scent in observe(text)} == {"shipping_address": shipping, "billing_address": billing}


@pytest.mark.parametrize("text", ["Never deliver on a Sunday.", "You must never send it by DHL", "千万不要发顺丰", "禁止周日送货"])
def test_what_is_never_to_be_is_no_value(text: str) -> None:
    """It stands in the rule alone."""
    assert [scent.value for scent in observe(text)] == ["never"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("No wait, ship it to No. 7 Castle Street, Cork", "No. 7 Castle Street, Cork"),
        ("The parcel should go to 7 Castle Street, Cork", "7 Castle Street, Cork"),
        ("Is the shipping address still 7 Castle Street, Cork?", "7 Castle Street, Cork"),
    ],
)
def test_an_address_is_found_whole(text: str, value: str) -> None:
    """In whatever sentence it stands."""
    assert [scent.value for scent in observe(text) if scent.type == "shipping_address"] == [value]


@pytest.mark.parametrize("text", ["send the invoice to jo@example.com", "发到西安的订单取消"])
def test_what_is_no_address_is_none(text: str) -> None:
    """One of mail is not, nor what an order is told by."""
    assert not [scent for scent in observe(text) if scent.type.endswith("_address")]


@pytest.mark.parametrize("text", ["Continue with order A789", "ok, back to #A789", "继续订单A789", "回到订单A789"])
def test_an_order_is_taken_up_again_by_its_number(text: str) -> None:
    """As by "the one from before"."""
    assert {scent.type for scent in observe(text)} == {"continuation", "order_reference"}


@pytest.mark.parametrize(
    ("text", "verbs"),
    [("You must cancel it", ["cancel"]), ("必须取消订单", ["cancel"]), ("You must keep the box", ["keep"]), ("You must come", ["must"])],
)
def test_must_says_how_much_another_verb_is_meant(text: str, verbs: list[str]) -> None:
    """It counts with that, and is a rule of its own alone."""
    scents = [scent for scent in observe(text) if scent.type == "directive"]
    assert [scent.value for scent in scents] == verbs
    assert scents[0].concentration == (0.85 if verbs == ["must"] else 1.0)


@pytest.mark.parametrize("rules", ["shop.toml", {"words": {}}])
def test_what_is_no_rules_is_refused(rules: Any) -> None:
    """A file's name is no compiled rules."""
    with pytest.raises(BadValue, match="load_rules"):
        observe("hello", rules=rules)


def test_each_of_two_orders_goes_where_it_is_said_to() -> None:
    """In one sentence."""
    scents = [scent for scent in observe("Ship A1001 to Leeds and A1002 to York") if scent.type == "shipping_address"]
    assert [(scent.target, scent.value) for scent in scents] == [("A1001", "Leeds"), ("A1002", "York")]


def test_who_receives_it_is_no_part_of_the_address() -> None:
    """Nor is the time."""
    scents = {scent.type: scent.value for scent in observe("Send it to Anna Smith at 5 Hill Road by DHL")}
    assert scents == {"recipient": "Anna Smith", "shipping_address": "5 Hill Road", "shipping_method": "DHL"}
    assert {scent.type: scent.value for scent in observe("Send it to Leeds at 14:30")} == {
        "shipping_address": "Leeds",
        "delivery_time": "14:30",
    }


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("cancel 7731-B", "7731-B"), ("Please cancel LX1002-3, thanks", "LX1002-3"), ("Cancel 114-3941689-8772232", "114-3941689-8772232"),
        ("I'd like to cancel number 88123", "88123"), ("cancel ab12cd", "AB12CD"), ("取消20240517ABC", "20240517ABC"),
        ("把7731-B取消", "7731-B"), ("refund XK-2024/118 please", "XK-2024/118"),
    ],
)  # fmt: skip
def test_what_is_to_be_done_goes_to_the_number_that_is_said(text: str, number: str) -> None:
    """And to no other order, of whatever shape the number is."""
    assert ("order_reference", number, number) in said(text, focus="B2")
    assert {target for type_, target, _ in said(text, focus="B2") if type_ == "directive"} <= {number}


@pytest.mark.parametrize("text", ["cancel it by 5 pm", "Can you cancel my 2 orders", "cancel both", "return 10-12 boxes"])
def test_a_count_or_a_time_behind_it_is_no_order(text: str) -> None:
    """What is asked for is about the order that is spoken of."""
    assert "order_reference" not in {type_ for type_, _, _ in said(text, focus="B2")}


def test_a_count_is_no_address() -> None:
    """Though a street may begin with a number."""
    assert "shipping_address" not in {type_ for type_, _, _ in said("change it to 3 boxes")}
    assert ("shipping_address", None, "3 Elm Road") in said("change it to 3 Elm Road")
