"""Claims about the shipped rules of shops, in English and in Chinese: orders, addresses, answers."""

import pytest

from blackboard.scent import FieldSettings, observe
from tests.blackboard.scent.observed import only, said, types, values


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
    ("text", "shipping", "billing"),
    [
        ("ship to 88 Hill Road, Leeds, and the billing address is 9 Long Lane, York", "88 Hill Road, Leeds", "9 Long Lane, York"),
        ("发到成都市天府大道88号，发票地址是武汉市中山路9号", "成都市天府大道88号", "武汉市中山路9号"),
    ],
)
def test_one_address_ends_where_the_next_is_spoken_of(text: str, shipping: str, billing: str) -> None:
    """Though a comma may also stand within one."""
    assert {scent.type: scent.value for scent in observe(text)} == {"shipping_address": shipping, "billing_address": billing}


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


def test_who_receives_it_is_no_part_of_the_address() -> None:
    """Nor is the time."""
    scents = {scent.type: scent.value for scent in observe("Send it to Anna Smith at 5 Hill Road by DHL")}
    assert scents == {"recipient": "Anna Smith", "shipping_address": "5 Hill Road", "shipping_method": "DHL"}
    assert {scent.type: scent.value for scent in observe("Send it to Leeds at 14:30")} == {
        "shipping_address": "Leeds",
        "delivery_time": "14:30",
    }


@pytest.mark.parametrize("text", ["cancel it by 5 pm", "Can you cancel my 2 orders", "cancel both", "return 10-12 boxes"])
def test_a_count_or_a_time_behind_it_is_no_order(text: str) -> None:
    """What is asked for is about the order that is spoken of."""
    assert "order_reference" not in {type_ for type_, _, _ in said(text, focus="B2")}


def test_a_count_is_no_address() -> None:
    """Though a street may begin with a number."""
    assert "shipping_address" not in {type_ for type_, _, _ in said("change it to 3 boxes")}
    assert ("shipping_address", None, "3 Elm Road") in said("change it to 3 Elm Road")
