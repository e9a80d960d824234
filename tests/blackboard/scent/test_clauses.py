"""Claims about what a text says where."""

from blackboard.scent.clauses import Reading
from blackboard.scent.rules_file import shipped


def read(text: str) -> Reading:
    return Reading(text, text.encode(), shipped(), quotes=True)


def clauses(text: str) -> list[str]:
    reading = read(text)
    return [reading.slice(clause.start, clause.end).strip() for clause in reading.clauses]


def sentences(text: str) -> list[str]:
    reading = read(text)
    return [reading.slice(*sentence).strip() for sentence in reading.sentences]


def asked(text: str) -> list[bool]:
    return [clause.asked for clause in read(text).clauses]


def test_clauses_end_at_pauses_and_before_joints() -> None:
    """And at the ends of sentences."""
    assert clauses("send it, then wait and call - or not. Fine") == ["send it", "then wait", "and call", "or not", "Fine"]
    assert clauses("发到北京,然后打电话。谢谢") == ["发到北京", "然后打电话", "谢谢"]
    assert clauses("") == [""]
    assert clauses("?!") == ["?!"]


def test_sentences_end_at_full_stops_and_not_within_numbers_names_and_abbreviations() -> None:
    """3.5, a.b@c.de, No. 5."""
    assert sentences("It is 3.5 m. Ask a.b@c.de! No. 5 it is… done") == ["It is 3.5 m.", "Ask a.b@c.de!", "No. 5 it is…", "done"]
    assert sentences("一。二!三\n四") == ["一。", "二!", "三", "四"]


def test_a_question_is_the_last_clause_of_its_sentence_and_what_follows_words_that_ask() -> None:
    """What stands before may be stated."""
    assert asked("I am in Bath, is it far?") == [False, True]
    assert asked("should I pay, or wait, or go?") == [True, True, True]
    assert asked("how do I pay. I wait") == [True, False]
    assert asked("我在北京,远吗") == [False, True]


def test_a_tag_asks_about_its_sentence_or_the_one_before() -> None:
    """Right? Correct? 对吗"""
    assert asked("it goes to Bath, right?") == [True, True]
    assert asked("Hello. It goes to Bath. Right?") == [False, True, True]
    assert asked("Hello. It goes to Bath. Right away?") == [False, False, True]
    assert asked("Hello. This is far right?") == [False, True]
    assert asked("yes, right") == [False, False]


def test_what_makes_a_question_a_request_does_so_for_the_rest_of_its_sentence() -> None:
    """And no further."""
    reading = read("could you pay, and wait? wait?")
    assert [(clause.bids, clause.asks) for clause in reading.clauses] == [(True, False), (True, False), (False, True)]
    willing = read("can you wait, and pay?")
    assert [(clause.bids, clause.asks) for clause in willing.clauses] == [(True, False), (True, True)]


def test_what_somebody_else_said_bids_nothing() -> None:
    """Until the sentence ends."""
    assert [clause.bids for clause in read("he said wait, then pay. Wait").clauses] == [False, False, True]


def test_quotations_are_known_and_their_words_do_not_count() -> None:
    """Whichever marks they have; a line that begins with > is one."""
    for text in ('say "cancel" now', "say “cancel” now", "说「取消」吧", "say 'cancel' now", "> cancel\nnow"):
        reading = read(text)
        place = len(text[: min(text.find(word) for word in ("cancel", "取消") if word in text)].encode())
        assert reading.is_quoted(place)
        assert not reading.is_quoted(len(text.encode()) - 1)
        assert not [mark for mark in reading.marks if mark.role == "request"]
    assert not read("it's the buyer's").is_quoted(4)


def test_the_longest_word_counts() -> None:
    """别 (do not) within 特别 (especially) denies nothing."""
    assert [(mark.role, mark.meaning) for mark in read("特别").marks] == [("neutral", "")]
    assert "negation" in [mark.role for mark in read("别取消").marks]
    assert [mark.meaning for mark in read("Call   OFF the order").marks if mark.role == "request"] == ["cancel"]


def test_a_slice_is_of_what_was_said() -> None:
    """By bytes of the folded text, characters of the original."""
    reading = Reading("去，北京", "去,北京".encode(), shipped(), quotes=False)
    assert reading.slice(4, 10) == "北京"
    assert [clause.sentence for clause in reading.clauses_of(0, 10)] == [0, 0]


def test_what_stands_before_the_first_clause_is_of_it() -> None:
    """Signs alone are no clause."""
    reading = read("?! so, it is")
    assert reading.clauses_of(0, 1) == [reading.clause_at(0)] == reading.clauses[:1]
