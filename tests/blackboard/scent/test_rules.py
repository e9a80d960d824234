"""Claims about compiled rules."""

from typing import Any

import pytest

from blackboard.patterns import compiled
from blackboard.scent.folding import folded
from blackboard.scent.rules import compile_rules, literal
from blackboard.scent.tables import BadRule


def book(*patterns: str, **more: Any) -> dict[str, Any]:
    """A file with one type."""
    return {"types": {"x": {"decay": 0.5, "concentration": 0.5, "patterns": list(patterns)}}, **more}


@pytest.mark.parametrize(
    ("tables", "cure"),
    [
        (book("(a"), "RE2"),
        (book(r"(a)\1"), "RE2"),
        (book("a(?=b)"), "RE2"),
        (book("(?P<worth>a)"), "`value` and `target`"),
        (book("{b}"), "not in [parts]"),
        (book("{b}", parts={"b": "{c}", "c": "{b}"}), "names itself"),
        (book("{p64}", parts={"p0": "x", **{f"p{n}": f"{{p{n - 1}}}" for n in range(1, 65)}}), "more than 64 parts"),
        (book("{p40}", parts={"p0": "x", **{f"p{n}": f"{{p{n - 1}}}{{p{n - 1}}}" for n in range(1, 41)}}), "characters"),
        (book("[ab]{900}[cd]{900}(?:a?b?c?){900}(?:a?b?c?){900}(?:a?b?c?){900}(?:a?b?c?){900}(?:a?b?c?){900}"), "repetitions"),
        ({"types": {"x": {"concentration": 0.5}}}, "decay = 0…1"),
        ({"types": {"x": {"decay": 0.5}}}, "concentration = 0…1"),
        ({"types": {"x": {"decay": 0.5, "concentration": 1, "topics": ["inn"]}}, "topics": {"hotel": ["hotel"]}}, "has hotel"),
        ({"types": {"*_x": {"decay": 0.5, "concentration": 1}}}, "its star stands for no topic"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_with_the_cure(tables: dict[str, Any], cure: str) -> None:
    """Patterns, parts, and types that lack what they need."""
    with pytest.raises(BadRule) as caught:
        compile_rules(tables)
    assert cure in str(caught.value)


def test_patterns_name_parts_in_braces_and_the_engine_keeps_its_own() -> None:
    """Words as words, patterns as patterns, parts within parts; {2} counts, and \\p{L} is a class."""
    rules = compile_rules(
        book(r"by {who} (?P<value>{code}) \p{L}{2}", parts={"who": ["J&T", "SF"], "code": "{letter}+|x", "letter": "[a-c]"})
    )
    found = rules.patterns[0].regex
    assert found.fullmatch("by j&t abc dé")
    assert found.fullmatch("by SF x ab")
    assert not found.fullmatch("by SFO abc dd")
    assert rules.patterns[0].value == 1


def test_a_text_meets_the_patterns_that_are_in_it() -> None:
    """Whichever letter case."""
    rules = compile_rules(book("red", "blue", "(?:b|r)+(?P<value>u)"))
    assert sorted(number for number in rules.meets(b"a BLUE one") if number < 3) == [1]
    assert sorted(number for number in rules.meets(b"BRRU") if number < 3) == [2]


def test_words_are_taken_literally_and_those_of_letters_are_whole() -> None:
    """The longer first; blanks as many as there are; none finds nothing."""
    found = compiled(literal(["no.", "cancel", "cancel it", "取消"]))
    assert [match[0] for match in found.finditer("CANCEL   it uncancel not No. 取消了 cancel")] == ["CANCEL   it", "No.", "取消", "cancel"]
    assert not compiled(literal([])).search("anything")


def test_an_acronym_in_capitals_is_no_emphasis() -> None:
    """Other words of the rules are."""
    rules = compile_rules({"requests": {"cancel": ["cancel", "call off"]}, "words": {"acronym": ["OFF"]}})
    assert rules.vocabulary == {"cancel", "call"}


def test_a_topic_is_called_by_its_first_chinese_word() -> None:
    """Where it has none, by its name."""
    rules = compile_rules({"topics": {"hotel": ["hotel", "酒店", "宾馆"], "taxi": ["cab"]}})
    assert rules.topics == {"hotel": "酒店", "taxi": "taxi"}


def test_what_stands_in_a_value_s_place_is_known_by_its_first_word() -> None:
    """In whatever letter case; the rest is looked at only then."""
    assert compile_rules({"words": {"pointing": ["That one", "here"]}}).heads == {"that", "here"}


@pytest.mark.parametrize(("questions", "stated"), [({}, False), ({"questions": "asked"}, False), ({"questions": "stated"}, True)])
def test_a_value_in_a_question_is_asked_unless_its_type_says_it_is_stated(questions: dict[str, str], stated: bool) -> None:
    """As a search's is."""
    assert compile_rules({"types": {"x": {"decay": 0.5, "concentration": 0.5, **questions}}}).types["x"].stated == stated


def test_parts_may_stand_in_as_many_as_the_refusal_says() -> None:
    """64 within one another are no more than 64."""
    parts = {"p0": "x", **{f"p{n}": f"{{p{n - 1}}}" for n in range(1, 64)}}
    assert compile_rules(book("{p63}", parts=parts)).patterns[0].regex.fullmatch("x")


def test_a_type_is_as_its_tables_say() -> None:
    """Its label in either language, and the capitals of its values; a label in one language is that of both."""
    table = {"decay": 0.5, "concentration": 0.5, "label": "Colour"}
    types = compile_rules({"types": {"x": {**table, "upper": True}, "y": table}}, {"types": {"x": {"label": "颜色"}}}).types
    assert (types["x"].label, types["x"].chinese, types["x"].upper) == ("Colour", "颜色", True)
    assert (types["y"].label, types["y"].chinese, types["y"].upper) == ("Colour", "Colour", False)


def test_words_behind_a_value_are_known_in_small_letters() -> None:
    """As what is read is compared."""
    assert compile_rules({"words": {"trailing": ["Please"]}}).tails == ("please",)


def test_a_word_may_do_several_things() -> None:
    """By what each list says."""
    rules = compile_rules({"requests": {"cancel": ["Drop"]}, "words": {"verb": ["drop"]}})
    assert rules.roles["drop"] == (("request", "cancel"), ("verb", ""))


def test_a_pattern_in_traditional_characters_meets_what_it_says() -> None:
    """The text is read with simplified ones, and so is the pattern."""
    found = compile_rules(book("{who}備註(?P<value>.+)", parts={"who": ["賣家"]}))
    assert [number for number in found.meets(folded("賣家備註急").encode()) if not number] == [0]


def test_what_is_wrong_with_a_pattern_is_told_as_it_stands_in_the_file() -> None:
    """Not with its parts written out, which nobody would know again."""
    with pytest.raises(BadRule) as caught:
        compile_rules(book("({who}", parts={"who": ["somebody", "anybody"]}))
    assert "'({who}'" in str(caught.value)
    assert "somebody" not in str(caught.value)
