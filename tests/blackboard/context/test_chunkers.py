"""How pieces are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.context.chunkers import Chunker, paragraphs, sections, turns
from blackboard.context.pieces import Piece, pieces_of

CHATTER = "We walked along the river and looked at the boats for a long while. " * 4


def test_a_key_statement_stands_alone() -> None:
    """It does not drown in a large turn; what stands around it stays together."""
    parts = [piece.text for piece in turns(Piece(f"{CHATTER}My name is Ada Lovelace. {CHATTER}", "x"))]
    assert parts == [CHATTER.strip(), "My name is Ada Lovelace.", CHATTER.strip()]


@pytest.mark.parametrize("text", ["My name is Ada. I like boats.", CHATTER * 2, "我叫小明。我喜欢船。"])
def test_others_stay_whole(text: str) -> None:
    """Small ones, and those without a key statement."""
    assert list(turns(Piece(text))) == [Piece(text)]


def test_in_chinese() -> None:
    """Counted in bytes, so that a page is as large in any language."""
    chatter = "我们沿着河边走了很久，看了很多船和房子，天气也很好。" * 6
    assert [piece.text for piece in turns(Piece(f"{chatter}我对花生过敏。{chatter}"))] == [chatter, "我对花生过敏。", chatter]


def test_paragraphs() -> None:
    """Between empty lines, but not within a fence."""
    text = "one\nstill one\n\n\ntwo\n```\ncode\n\nmore code\n```\n\nthree\n"
    assert [piece.text for piece in paragraphs(Piece(text))] == ["one\nstill one", "two\n```\ncode\n\nmore code\n```", "three"]


def test_sections() -> None:
    """Each with its heading; a comment in code is none."""
    text = "before\n# A\n\na\n```\n# no heading\n```\n## B\nb"
    assert [piece.text for piece in sections(Piece(text))] == ["before", "# A\n\na\n```\n# no heading\n```", "## B\nb"]


@pytest.mark.parametrize("chunker", [turns, paragraphs, sections])
def test_a_tool_call_is_never_cut(chunker: Chunker) -> None:
    """However long its result."""
    call = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "read", "arguments": "{}"}}]}
    [(_, piece)] = pieces_of(
        [call, {"role": "tool", "tool_call_id": "a", "content": f"# A\n\n{CHATTER * 3}My name is Ada.\n\n# B\n\n{CHATTER}"}]
    )
    assert list(chunker(piece)) == [piece]


@pytest.mark.parametrize("chunker", [turns, paragraphs, sections])
@given(
    text=st.lists(st.sampled_from([CHATTER, "My name is Ada. ", "\n\n", "# A\n", "我必须走。", "🙂", "x", "```\n", "\r\n"])).map("".join)
)
def test_parts_are_the_text(chunker: Chunker, text: str) -> None:
    """In order, as they stand, with nothing between them but space."""
    position = 0
    for part in chunker(Piece(text)):
        start = text.index(part.text, position)
        assert not text[position:start].strip()
        position = start + len(part.text)
    assert not text[position:].strip()
