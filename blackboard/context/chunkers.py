"""How a piece is cut into smaller ones (chapter 4, "chunker").

Law: what is cut off is a part of the text as it stands, nothing is lost but the space between, and no tool call is cut.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TypeAlias

import msgspec

from blackboard.context.pieces import Piece
from blackboard.context.statements import is_key
from blackboard.summaries import sentences

Chunker: TypeAlias = Callable[[Piece], Iterable[Piece]]
"""Cuts a piece into parts, in order; or gives it back whole."""

LARGE = 400
"""From so many bytes of UTF-8 on a key statement drowns in its turn: about 100 tokens in any language."""


def turns(piece: Piece) -> Iterable[Piece]:
    """Whole turns; but out of a large one each key statement ("my name is …") as a small piece of its own."""
    if len(piece.text) * 4 < LARGE or len(piece.text.encode("utf-8", "surrogatepass")) < LARGE or _is_exchange(piece):
        return [piece]
    texts: list[str] = []
    position = 0
    found = []
    for sentence in sentences(piece.text):
        start = piece.text.index(sentence, position)
        position = start + len(sentence)
        found.append((start, position, is_key(sentence)))
    for key, run in groupby(found, lambda each: each[2]):
        spans = list(run)
        texts += [piece.text[start:end] for start, end, _ in spans] if key else [piece.text[spans[0][0] : spans[-1][1]]]
    return _parts(piece, texts)


def paragraphs(piece: Piece) -> Iterable[Piece]:
    """One piece a paragraph: what stands between empty lines. Code between fences stays whole."""
    return _parts(piece, _cut(piece.text, re.compile(r"\s*$"), keep=False))


def sections(piece: Piece) -> Iterable[Piece]:
    """One piece a section: a heading (``# …``) with all that stands below it."""
    return _parts(piece, _cut(piece.text, re.compile(r"#{1,6}\s"), keep=True))


def _cut(text: str, border: re.Pattern[str], *, keep: bool) -> Iterator[str]:
    """The text, cut before each line that is a border outside of code fences. ``keep``: the line belongs to what follows it."""
    lines: list[str] = []
    fenced = False
    for line in text.splitlines(keepends=True):
        fenced ^= line.lstrip().startswith("```")
        if not fenced and border.match(line):
            yield "".join(lines)
            lines = [line] if keep else []
        else:
            lines.append(line)
    yield "".join(lines)


def _parts(piece: Piece, texts: Iterable[str]) -> list[Piece]:
    stripped = [text.strip("\r\n") for text in texts if not text.isspace() and text]
    if len(stripped) < 2 or _is_exchange(piece):
        return [piece]
    return [msgspec.structs.replace(piece, text=text) for text in stripped]


def _is_exchange(piece: Piece) -> bool:
    return len(piece.messages) > 1
