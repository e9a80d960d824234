"""The claims of ``agents.evolution.risks``: each risk factor where it is, and where it is not."""

import pytest

from agents.evolution.risks import RISKS, risks
from agents.memory.records import TaskLog, ToolCall
from tests.agents.evolution.shop import call, looked_up, talk

ASKED = "user: Please cancel A17"
LIMIT = "desk: It cannot be undone. Shall I?"
YES = "user: Yes"
CANCEL = call("cancel_order", order_id="A17")
PATIENT = call("get_patient", {"patient_id": "P3", "dose": 5, "ward": "B", "drug": "ibuprofen"}, patient_id="P3")
ZH = call("get_order", {"order_id": "K8", "状态": "已发货"}, order_id="K8")


def moved(**given: object) -> ToolCall:
    return ToolCall("change_order", {"order_id": "A17", **given})


CASES: dict[str, list[tuple[TaskLog, ToolCall, list[str]]]] = {
    "unnamed": [
        (talk("user: Cancel my order", looked_up()), CANCEL, ["order_id A17"]),
        (talk(ASKED, looked_up()), CANCEL, []),
        (talk("user: 取消订单K8", ZH), call("cancel_order", order_id="K8"), []),
        (talk("user: 取消我的订单", ZH), call("cancel_order", order_id="K8"), ["order_id K8"]),
    ],
    "chosen": [
        (talk(ASKED), moved(delivery="express", address="2 Oak Lane", gift="red"), ["address", "delivery", "gift"]),
        (talk(ASKED, "user: express, to 2 Oak Lane"), moved(delivery="express", address="2 Oak Lane", gift="red"), []),
    ],
    "made_up": [
        (talk("user: P3, less", PATIENT), call("set_dose", patient_id="P3", dose=4), ["dose"]),
        (talk("user: P3, 4 mg", PATIENT), call("set_dose", patient_id="P3", dose=4), []),
        (talk("user: P3, as before", PATIENT), call("set_dose", patient_id="P3", dose=5), []),
    ],
    "unread": [
        (talk(ASKED, looked_up()), call("cancel_order", order_id="B2"), ["order_id B2"]),
        (talk(ASKED, looked_up()), CANCEL, []),
        (talk(ASKED), CANCEL, []),
    ],
    "reshaping": [
        (talk(ASKED, looked_up()), moved(delivery="express", address="2 Oak Lane"), ["address", "delivery"]),
        (talk(ASKED, looked_up()), moved(delivery="express", address="1 Elm Road"), []),
    ],
    "unconfirmed": [
        (talk(ASKED, LIMIT), CANCEL, ["Please cancel A17"]),
        (talk(ASKED, LIMIT, YES), CANCEL, []),
        (talk(ASKED, LIMIT, "user: I am not sure"), CANCEL, ["I am not sure"]),
        (talk("user: 取消K8", "user: 好的，取消吧"), CANCEL, []),
        (talk("user: 取消K8", "user: 你好，不可以吗"), CANCEL, ["你好，不可以吗"]),
    ],
    "unlimited": [
        (talk(ASKED, "desk: Done in a moment."), CANCEL, ["1 turns without one"]),
        (talk(ASKED, LIMIT), CANCEL, []),
        (talk("system: You must not guess.", "user: It cannot wait"), CANCEL, ["0 turns without one"]),
        (talk("user: 取消K8", "desk: 抱歉，已发货的订单无法取消"), CANCEL, []),
    ],
    "forbidden": [
        (talk("system: Final sale items cannot be cancelled.", looked_up()), CANCEL, ["Final sale items cannot be cancelled."]),
        (talk("system: Final sale items cannot be cancelled.", looked_up(item_type="new")), CANCEL, []),
        (talk("user: Final sale items cannot be cancelled.", looked_up()), CANCEL, []),
        (talk("system: 已发货的订单不能取消。", ZH), call("cancel_order", order_id="K8"), ["已发货的订单不能取消"]),
    ],
    "repeated": [
        (talk(ASKED, call("cancel_order", error="it is locked", order_id="A17")), CANCEL, ["it is locked"]),
        (talk(ASKED, call("cancel_order", error="it is locked", order_id="B2")), CANCEL, []),
        (talk(ASKED, call("cancel_order", "done", order_id="A17")), CANCEL, []),
    ],
}


@pytest.mark.parametrize(("risk", "case"), [(risk, case) for risk, cases in CASES.items() for case in cases])
def test_a_risk_is_where_something_shows_it(risk: str, case: tuple[TaskLog, ToolCall, list[str]]) -> None:
    """In a shop, a clinic and in Chinese; what shows it is told."""
    log, about, shown = case
    assert risks(log, about).get(risk, []) == shown


def test_each_risk_has_a_case() -> None:
    """Both ways."""
    assert CASES.keys() == RISKS.keys()
    assert all({bool(shown) for *_, shown in cases} == {True, False} for cases in CASES.values())


def test_a_call_may_bear_none() -> None:
    """Asked for by name, looked up, with its limit told and consent given."""
    assert risks(talk(ASKED, looked_up(), LIMIT, YES), CANCEL) == {}
