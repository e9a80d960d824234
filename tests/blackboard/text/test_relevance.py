"""How much of a query an item meets."""

from collections.abc import Mapping, Sequence
from datetime import date
from math import log, sqrt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blackboard.text import WEIGHTS, Met, Query, Text, TextIndex, meet, relevance

NOBODY: tuple[tuple[int, float], ...] = ()


def index_of(*texts: Text | str) -> TextIndex[Text]:
    index: TextIndex[Text] = TextIndex(lambda items: items)
    for ordinal, text in enumerate(texts):
        index.add(ordinal, Text(text) if isinstance(text, str) else text)
    return index


def met(index: TextIndex[Text], asked: str, near: Mapping[int, Sequence[tuple[int, float]]] | None = None, **more: date) -> dict[int, Met]:
    """What meets a query, in order."""
    return {each.ordinal: each for each in meet([index], Query.of(asked, **more), 50, near=lambda each: (near or {}).get(each, NOBODY))}


def test_the_figures_are_those_of_the_formula() -> None:
    """One item of three has the one term, once, in a text of mean length: x is 1."""
    found = met(index_of("cat", "dog", "bird"), "cat")
    assert found[0].relevance == pytest.approx(1 / 1.4)
    assert list(found) == [0]


def test_mentions_saturate_and_length_is_weighed() -> None:
    """tf / (1 - b + b · length / mean) against k, with b = 0.6 and k = 0.4."""
    found = met(index_of("cat cat", "cat dog bird fish"), "cat")  # of 3 terms in the mean
    x = [2 / (0.4 + 0.6 * 2 / 3), 1 / (0.4 + 0.6 * 4 / 3)]
    assert [found[n].relevance for n in (0, 1)] == pytest.approx([each / (0.4 + each) for each in x])


def test_a_rare_word_counts_more_and_saying_it_again_counts_less() -> None:
    """And in a longer text a word counts less."""
    found = met(index_of("red cat", "red dog", "red bird", "red fish", "cat cat", "cat and many words about other kinds"), "red cat")
    assert list(found)[:2] == [0, 4]
    assert found[1].relevance < found[4].relevance < 2 * found[0].relevance
    assert found[5].relevance < found[4].relevance


def test_what_neighbours_say_is_met_before_it_saturates() -> None:
    """An item that says nothing of it, between two that say half each, meets more of it than half; and the account tells from where."""
    index = index_of("moved to Shanghai", "as I said before", "the price basis", "a cat")
    near = {0: ((1, 0.5),), 2: ((1, 0.5),)}
    found = met(index, "price basis Shanghai", near)
    assert found[1].relevance > 0.4
    assert (found[1].terms, [source for source, _ in found[1].via]) == ((), [2, 0])
    assert found[1].via[0][1] > found[1].via[1][1] > 0
    assert set(found[2].terms) == {"price", "basi"}
    assert 3 not in found


def test_who_said_it_and_when_count() -> None:
    """The one speaker whom a query names, and the day; of two speakers neither counts."""
    said = [Text("we went hiking", speaker, date(2023, 5, day)) for speaker, day in (("Ann Lee", 7), ("Bob", 7), ("Ann Lee", 8))]
    index = index_of(*said, "nothing")
    plain, named = met(index, "hiking"), met(index, "did ann lee go hiking?")
    assert len({each.relevance for each in plain.values()}) == 1
    assert list(named)[:2] == [0, 2]
    assert named[0].names == ("ann lee",)
    assert named[0].relevance == pytest.approx(WEIGHTS.speaker * named[1].relevance)
    both = met(index, "did Ann Lee and Bob go hiking?")
    assert all(each.names == () for each in both.values())
    dated = met(index, "hiking on 8 May 2023")
    assert (next(iter(dated)), dated[2].names) == (2, ("2023-05-08",))
    assert list(met(index, "hiking yesterday", today=date(2023, 5, 9)))[0] == 2  # noqa: RUF015 - the first of a mapping


def test_what_was_said_on_the_day_counts_more() -> None:
    """By as much as is said; what merely speaks of that day meets its words alone."""
    index = index_of(Text("a walk", day=date(2023, 5, 7)), "a walk on 2023-05-07", "rain")
    query = Query.of("walk on 7 May 2023")
    without, within = (
        {each.ordinal: each.relevance for each in meet([index], query, 9, weights=WEIGHTS._replace(day=day))} for day in (0.0, 0.2)
    )
    assert within == pytest.approx({0: without[0] + 0.2, 1: without[1]})


def test_who_said_it_alone_is_met() -> None:
    """By the newest of what they said, where nothing else is asked; and by nothing, if several are named."""
    index = index_of(Text("we went hiking", "Ann Lee"), Text("so did I", "Bob"), *(Text(f"walk {n}", "Ann Lee") for n in range(60)))
    found = met(index, "Ann Lee?")
    assert list(found) == list(range(61, 11, -1))
    assert {each.names for each in found.values()} == {("ann lee",)}
    assert met(index, "Ann Lee and Bob") == {}
    assert next(iter(met(index, "did Ann Lee go hiking?"))) == 0


def test_a_day_alone_is_met() -> None:
    """By what was said on it, and by what names it, also relative to when it was said."""
    index = index_of(
        Text("nothing much", day=date(2023, 5, 7)), Text("I fell yesterday", day=date(2023, 5, 8)), "due on 2023-05-07", "a cat"
    )
    assert set(met(index, "what happened on 7 May 2023?")) >= {0, 1, 2}
    assert 3 not in met(index, "what happened on 7 May 2023?")
    assert "@2023-05-07" in met(index, "what happened on 7 May 2023?")[1].terms


def test_a_day_leaves_no_trace() -> None:
    """What was said on it is met; what is near that only has it as a neighbour."""
    index = index_of(Text("so it goes", day=date(2023, 5, 7)), "a cat", "a dog")
    found = met(index, "cat on 2023-05-07", {0: ((1, 0.5), (2, 0.5))})
    assert set(found) == {0, 1}
    assert found[1].via == ()


def test_what_is_near_in_meaning_alone_has_to_stand_out() -> None:
    """Among as many as there are; to what is met anyway any nearness adds."""
    index = index_of("cat", "dog", "bird")
    least = 0.4 * WEIGHTS.meaning * sqrt(2 * log(3))
    found = meet([index], Query.of("cat"), 9, gains={0: 0.01, 1: least + 1e-9, 2: least - 1e-9})
    assert [(each.ordinal, each.gain) for each in found] == [(0, 0.01), (1, least + 1e-9)]
    assert [each.own for each in found] == pytest.approx([each.relevance for each in found])


def test_a_query_says_each_thing_once() -> None:
    """However often it repeats itself."""
    assert Query.of("cat, cats; 15:00 and 3 pm").terms == ("cat", "15:00", "3", "pm", "@afternoon")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("我的猫叫豆豆", "猫叫什么"), ("회의는 오후 세 시입니다", "회의"), ("party 🎉 tonight", "🎉"), ("الاجتماع في الثالثة", "الاجتماع"),
        ("הפגישה בשלוש", "הפגישה"), ("مُحَمَّد", "محمد"), ("naïve café", "NAÏVE"), ("phone meeting at 3 pm", "this afternoon"),
        ("下午三点电话会议", "15:00"),
    ],
)  # fmt: skip
def test_every_script_is_found(said: str, asked: str) -> None:
    """Among others that have nothing to do with it."""
    assert list(met(index_of("nothing of it", said, "其他事情"), asked)) == [1]


def test_nothing_is_met_by_nothing() -> None:
    """An empty query, words that nobody said, an empty index."""
    index = index_of("a cat")
    assert met(index, "") == met(index, "…?!") == met(index, "dog") == met(index_of(), "cat") == {}


words = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4).map(" ".join)
said = st.builds(
    Text,
    st.lists(st.sampled_from([*"abcdef", "7", "May", "2023"]), min_size=1, max_size=4).map(" ".join),
    st.sampled_from(["", "ann", "bob"]),
    st.sampled_from([None, date(2023, 5, 7), date(2023, 5, 8), date(2022, 5, 7)]),
)
questions = st.tuples(words, st.sampled_from(["", "Ann", "on 7 May 2023", "Bob in May", "Ann on May 7, 2023"])).map(" ".join)


@given(st.lists(said, max_size=40), questions, st.integers(1, 6))
@example([Text("a", "ann"), Text("a", "ann")], "Ann", 1)  # who asks for a speaker alone is given the newest, however many are wanted
def test_how_the_work_is_cut_short_shows_in_no_result(texts: list[Text], asked: str, limit: int) -> None:
    """The best are the same when only as many are looked at closely, also where it is a day or a speaker that makes them the best."""
    index = index_of(*texts)
    whole = meet([index], Query.of(asked), 100)[:limit]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relevance, "SPREADING", 1)
        cut = meet([index], Query.of(asked), limit)
    assert [each.ordinal for each in cut] == [each.ordinal for each in whole]
    assert [each.relevance for each in cut] == pytest.approx([each.relevance for each in whole])


def test_what_has_only_the_commoner_words_may_be_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking goes on as long as what is left of the query may outweigh the rarest word."""
    monkeypatch.setattr(relevance, "SPREADING", 1)
    index = index_of("ash", "birch cedar", "birch", "cedar", *(f"other{n}" for n in range(9)))
    assert [each.ordinal for each in meet([index], Query.of("ash birch cedar"), 1)] == [1]


def test_what_is_named_may_make_the_best_of_what_has_only_the_commoner_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day, and a speaker, outweigh what the words alone could not."""
    monkeypatch.setattr(relevance, "SPREADING", 1)
    others = [f"other{n}" for n in range(60)]
    day = index_of("ash elm oak fir", *[Text("x", day=date(2023, 5, 7))] * 3, *others)
    assert [each.ordinal for each in meet([day], Query.of("ash elm oak fir 2023-05-07"), 1)] == [1]
    speaker = index_of("ash ash ash w w w w w w w", *["birch y"] * 6, *others, Text("birch birch", "Ann"))
    assert [each.ordinal for each in meet([speaker], Query.of("ash birch, Ann"), 1)] == [67]


def test_what_has_a_rare_word_and_a_commoner_one_stays_among_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is behind when nothing else can come in any more."""
    monkeypatch.setattr(relevance, "SPREADING", 1)
    index = index_of("ash ash", "ash birch", *["birch"] * 4, *(f"other{n}" for n in range(9)))
    assert [each.ordinal for each in meet([index], Query.of("ash birch"), 1)] == [1]


def test_only_the_best_leave_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are asked for: a query that all have to do with costs no more."""
    monkeypatch.setattr(relevance, "SPREADING", 1)
    found = met(index_of("cat cat", "cat", "behind the best", "behind the other"), "cat", {0: ((2, 0.5),), 1: ((3, 0.5),)})
    assert list(found) == [0, 1, 2]


def test_of_what_very_many_have_only_the_preferred_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside those that have a rarer term of the query; and all of these count what they have of the common one."""
    monkeypatch.setattr(relevance, "COMMON", 3)
    index = index_of("cat", "cat", "cat", "cat doudou", "dog")
    found = meet([index], Query.of("cat doudou"), 10, preferred=lambda: (1, 4))
    assert [each.ordinal for each in found] == [3, 1]
    assert set(found[0].terms) == {"cat", "doudou"}
    monkeypatch.setattr(relevance, "SPREADING", 1)
    index = index_of("doudou", "doudou cat", *["cat pet"] * 4, "pet", *(f"other{n}" for n in range(9)))
    assert [each.ordinal for each in meet([index], Query.of("cat pet doudou"), 1)] == [1]


@given(st.lists(words, min_size=1, max_size=20), words, st.randoms(use_true_random=False))
def test_the_order_of_indexing_shows_in_no_result(texts: list[str], asked: str, random: object) -> None:
    """An index that was filled backwards gives the same, to the bit."""
    backwards: TextIndex[Text] = TextIndex(lambda items: items)
    for ordinal, text in reversed(list(enumerate(texts))):
        backwards.add(ordinal, Text(text))
    assert meet([backwards], Query.of(asked), 20) == meet([index_of(*texts)], Query.of(asked), 20)


def test_a_page_as_a_query_is_looked_for_by_its_rarest_terms() -> None:
    """However long it is."""
    index = index_of(*(f"w{n} common" for n in range(relevance.TERMS)), "common")
    found = met(index, "common " + " ".join(f"w{n}" for n in range(relevance.TERMS)))
    assert len(found) == 50
    assert all(each.terms == (f"w{ordinal}",) for ordinal, each in found.items())
