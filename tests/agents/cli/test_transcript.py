"""agents.cli.transcript: a conversation as lines of text."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from agents.cli import transcript as module
from agents.cli.transcript import LONGEST, STDIN, Begin, End, Message, Said, parsed, transcript
from agents.errors import CommandError


def descriptors() -> int:
    """How many files are open."""
    return len(list(Path("/proc/self/fd").iterdir()))


async def read(file: Path) -> list[Said]:
    return [said async for said in transcript(file)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Ship it to Boston\r\n", Message("user", "Ship it to Boston")),
        ("  assistant: Noted.  ", Message("assistant", "Noted.")),
        ("System：超时", Message("system", "超时")),
        ("助手：已记下。", Message("assistant", "已记下。")),
        ("tool : shipped", Message("tool", "shipped")),
        ("用户: 你好", Message("user", "你好")),
        ("user: user: hello", Message("user", "user: hello")),
        ("address: 5 Hill Road", Message("user", "address: 5 Hill Road")),
        ("assistants: none", Message("user", "assistants: none")),
        ("/begin  the returns of May", Begin("the returns of May")),
        ("/end", End()),
        ("/beginning to worry", Message("user", "/beginning to worry")),
        ("/usr/lib is full", Message("user", "/usr/lib is full")),
        ("\t \r\n", None),
        ("tool: ", None),
    ],
)
def test_a_line(line: str, said: Said | None) -> None:
    """It is the user's message, somebody else's, or a word about tasks; a blank one is nothing."""
    assert parsed(line) == said


@pytest.mark.parametrize(("line", "why"), [("/begin ", "/begin begins no task: name it"), ("/end returns", "'returns' ends no task")])
def test_words_about_tasks_that_say_nothing(line: str, why: str) -> None:
    """They are refused, with the cure: as messages nobody would miss them."""
    with pytest.raises(CommandError, match=why):
        parsed(line)


async def test_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lines in order, whole however they are read, with or without a mark of UTF-8 at its beginning or a line break at its end."""
    file = tmp_path / "said.txt"
    file.write_bytes("\ufeff发到北京\n\nassistant: 好\n/end\n最后".encode())
    everything = [Message("user", "发到北京"), Message("assistant", "好"), End(), Message("user", "最后")]
    assert await read(file) == everything
    monkeypatch.setattr(module, "AT_ONCE", 1)
    open_before = descriptors()
    assert await read(file) == everything
    assert descriptors() == open_before, "it is closed"
    file.write_bytes(b"")
    assert await read(file) == []


async def test_a_mark_that_begins_a_later_line_is_part_of_it(tmp_path: Path) -> None:
    """Only that of a file is none of its text."""
    file = tmp_path / "said.txt"
    file.write_bytes("\ufeffone\n\ufefftwo".encode())
    assert await read(file) == [Message("user", "one"), Message("user", "\ufefftwo")]


@pytest.fixture
def typed() -> Iterator[BinaryIO]:
    """What is written there is the standard input."""
    reading, writing = os.pipe()
    stdin = os.dup(0)
    os.dup2(reading, 0)
    try:
        with os.fdopen(writing, "wb", buffering=0) as file:
            yield file
    finally:
        os.dup2(stdin, 0)
        os.close(stdin)
        os.close(reading)


async def test_a_pipe(typed: BinaryIO) -> None:
    """Each line is given out as it comes, while the writer is still there."""
    typed.write(b"one\ntw")
    lines = transcript(STDIN)
    assert await anext(lines) == Message("user", "one")
    typed.write(b"o\n")
    assert await anext(lines) == Message("user", "two")
    typed.close()
    assert [each async for each in lines] == []


async def test_a_line_without_end(typed: BinaryIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused once it is too long; its end is not waited for."""
    monkeypatch.setattr(module, "LONGEST", 10)
    typed.write(b"a" * 11)
    with pytest.raises(CommandError, match="line 1 of the standard input: more than 10 bytes"):
        async with asyncio.timeout(10):
            await read(STDIN)


async def test_how_long_a_line_may_be(tmp_path: Path) -> None:
    """The longest passes, a longer one is refused."""
    file = tmp_path / "said.txt"
    file.write_bytes(b"a" * LONGEST + b"\n")
    assert await read(file) == [Message("user", "a" * LONGEST)]
    file.write_bytes(b"one\n" + b"a" * 10 * LONGEST)
    with pytest.raises(CommandError, match=r"line 2 of .*said.txt: more than 65,536 bytes: .* divide it"):
        await read(file)


async def test_what_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder, and what is not UTF-8 or makes no sense: with the file, the line and the cure."""
    file = tmp_path / "said.txt"
    with pytest.raises(CommandError, match=r"said.txt cannot be read \(No such file or directory\): name a file of messages"):
        await read(file)
    with pytest.raises(CommandError, match=r"cannot be read \(Is a directory\)"):
        await read(tmp_path)
    file.write_bytes(b"good\nb\xe9d\n")
    with pytest.raises(CommandError, match=r"line 2 of .*said.txt: byte 2 is not UTF-8"):
        await read(file)
    file.write_bytes(b"/begin\n")
    with pytest.raises(CommandError, match=r"line 1 of .*said.txt: /begin begins no task"):
        await read(file)
