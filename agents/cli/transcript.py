"""A conversation as lines of text: each a message, or a word about its tasks.

    Ship order A789 to 5 Hill Road, Boston        a message of the user
    assistant: Noted.                             of another: assistant, system, tool (or user, in so many words; 助手, 系统 …)
    /begin returns                                from here on the conversation is about another task
    /end                                          that task is over

Blank lines say nothing. Anything else that begins with a slash is a message.
"""

import os
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import anyio

from agents.errors import CommandError
from agents.scent_agent import SPEAKERS, Speaker

LONGEST = 65_536
"""Bytes in a line."""
AT_ONCE = 65_536
"""Bytes that are read at once, at most."""
STDIN = Path("-")

_CALLED: dict[str, Speaker] = {**{each: each for each in SPEAKERS}, "用户": "user", "助手": "assistant", "系统": "system", "工具": "tool"}
_SPEAKER = re.compile(rf"({'|'.join(_CALLED)})\s*[:：]\s*", re.IGNORECASE)


class Message(NamedTuple):
    """Somebody said something."""

    speaker: Speaker
    text: str


class Begin(NamedTuple):
    """A task begins."""

    task: str


class End(NamedTuple):
    """The task ends."""


Said = Message | Begin | End


def parsed(line: str) -> Said | None:
    """What a line says; None: nothing. Raises ``CommandError``."""
    text = line.strip()
    word, *rest = text.split(maxsplit=1) or [""]
    match word:
        case "":
            return None
        case "/begin" if not rest:
            raise CommandError("/begin begins no task: name it, as in /begin returns")
        case "/begin":
            return Begin(*rest)
        case "/end" if rest:
            raise CommandError(f"/end {rest[0]!r} ends no task: it ends the one that runs, and takes no name")
        case "/end":
            return End()
    speaker = _SPEAKER.match(text)
    if speaker is None:
        return Message("user", text)
    said = text[speaker.end() :]
    return Message(_CALLED[speaker[1].lower()], said) if said else None


async def transcript(file: Path) -> AsyncIterator[Said]:
    """What the lines of a file say, or of the standard input as they come. Raises ``CommandError``, with the number of the line."""
    number = 0
    async for line in _lines(file):
        number += 1
        try:
            said = parsed(_text(line, "utf-8-sig" if number == 1 else "utf-8"))
        except CommandError as error:
            raise CommandError(f"line {number} of {_name(file)}: {error}") from error
        if said is not None:
            yield said


def _text(line: bytes, encoding: str) -> str:
    if len(line) > LONGEST:
        raise CommandError(f"more than {LONGEST:,} bytes: a message has no more; divide it into several lines")
    try:
        return line.decode(encoding)
    except UnicodeDecodeError as error:
        raise CommandError(f"byte {error.start + 1} is not UTF-8: write the file as UTF-8") from error


async def _lines(file: Path) -> AsyncIterator[bytes]:
    """The lines, without their ends; one that is too long ends in its midst."""
    descriptor = 0 if file == STDIN else _opened(file)
    try:
        held = b""
        while True:
            # What cannot be waited for (a file on a disk, most likely) can be read at once.
            with suppress(OSError, ValueError):
                await anyio.wait_readable(descriptor)
            read = _read(descriptor, file)
            *lines, held = (held + read).split(b"\n")
            for line in lines:
                yield line
            if held and (not read or len(held) > LONGEST):
                yield held
            if not read:
                return
    finally:
        if file != STDIN:
            os.close(descriptor)


def _opened(file: Path) -> int:
    try:
        return os.open(file, os.O_RDONLY)
    except OSError as error:
        raise _unreadable(file, error) from error


def _read(descriptor: int, file: Path) -> bytes:
    try:
        return os.read(descriptor, AT_ONCE)
    except OSError as error:
        raise _unreadable(file, error) from error


def _unreadable(file: Path, error: OSError) -> CommandError:
    return CommandError(
        f"{_name(file)} cannot be read ({error.strerror}): name a file of messages, one a line, or - for the standard input"
    )


def _name(file: Path) -> str:
    return "the standard input" if file == STDIN else str(file)
