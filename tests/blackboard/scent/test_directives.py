"""Claims about what is to be done, and what is to hold."""

import pytest

from blackboard.scent import observe
from tests.blackboard.scent.observed import only, types, values

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
    assert values("禁止锁定或取消", "directive") == ["never", "lock"]
    assert values("禁止取消必须保留", "directive") == ["never", "keep"]


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
    ("text", "verbs"),
    [("You must cancel it", ["cancel"]), ("必须取消订单", ["cancel"]), ("You must keep the box", ["keep"]), ("You must come", ["must"])],
)
def test_must_says_how_much_another_verb_is_meant(text: str, verbs: list[str]) -> None:
    """It counts with that, and is a rule of its own alone."""
    scents = [scent for scent in observe(text) if scent.type == "directive"]
    assert [scent.value for scent in scents] == verbs
    assert scents[0].concentration == (0.85 if verbs == ["must"] else 1.0)
