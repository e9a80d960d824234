"""What binds, and what says who somebody is."""

import pytest

from blackboard.context.statements import binds, is_key


@pytest.mark.parametrize(
    "text",
    [
        "You must never call the external payment API.",
        "It must be approved by Anna.",
        "Never give it chocolate.",
        "My cat is called Doudou; never give it chocolate.",
        "I promised the client a draft by Friday.",
        "Please don’t call me at night.",
        "Do not share the key.",
        "必须先问我。",
        "请不要放香菜",
        "绝不超过五万",
        "我答应周五交稿。",
    ],
)
def test_what_binds(text: str) -> None:
    """Must, never and promised, in both languages."""
    assert binds(text)
    assert is_key(text)


@pytest.mark.parametrize(
    "text",
    ["You must be tired.", "That must've been great!", "It's a must-see.", "I have never been there.", "Never give up!", "今天天气很好"],
)
def test_what_only_sounds_like_it(text: str) -> None:
    """A guess, a praise and an encouragement bind nobody."""
    assert not binds(text)


@pytest.mark.parametrize(
    "text", ["My name is Ada.", "my email: a@b.c", "I'm allergic to nuts", "Call me Ishmael", "我叫小明", "我住在上海", "对花生过敏"]
)
def test_key_statements(text: str) -> None:
    """Who somebody is, and what he needs."""
    assert is_key(text)
    assert not binds(text)


def test_chatter_is_no_key_statement() -> None:
    """In either language."""
    assert not any(map(is_key, ["The boats were nice.", "船很漂亮。"]))
