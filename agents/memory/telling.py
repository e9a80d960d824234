"""Records as text, for prompts and for people. Pure."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from agents.memory.records import StepRecord, ToolCall, Turn


def called(call: ToolCall) -> str:
    """A call with its parameters, and its error if it had one; not its result."""
    given = ", ".join(f"{name}={told_value(value)}" for name, value in call.parameters.items())
    failed = f" failed: {call.error}" if call.error is not None else ""
    return f"{call.name}({given}){failed}"


def told_value(value: Any) -> str:
    """A value as text: JSON, but a text of one word or several without the marks of JSON stands as it is."""
    match value:
        case str():
            return value if _is_simple(value) else _json(value)
        case Mapping():
            return "{" + ", ".join(f"{told_value(name)}: {told_value(each)}" for name, each in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(told_value, value)) + "]"
        case _:
            return _json(value)


def told_step(step: StepRecord) -> str:
    """A step record and the turns that it stands for, a line for each thing."""
    span = f"turn {step.first}" if step.first == step.last else f"turns {step.first}–{step.last}"
    return f"[{span}] {told_body(step)}" if step.intent else f"[{span}]\n{told_body(step)}".rstrip()


def told_body(step: StepRecord) -> str:
    """What a step record says, without naming turns."""
    lines = [step.intent] if step.intent else []
    lines += [f"→ {called(action)}" for action in step.actions]
    lines += [f"= {step.state}"] if step.state else []
    lines += [f"figures: {' '.join(step.figures)}"] if step.figures else []
    return "\n".join([*lines, *(f"! {each}" for each in step.kept if each != step.intent)])


def told_turn(turn: Turn, number: int) -> str:
    """A turn as it was, results included."""
    lines = [f"[turn {number}] {turn.by}: {turn.text}".rstrip()]
    for call in turn.calls:
        lines.append(f"→ {called(call)}")
        if call.error is None and call.result is not None:
            lines.append(f"= {told_value(call.result)}")
    return "\n".join(lines)


def told_error(error: Exception) -> str:
    """What an exception is and what it says, as text that can be recorded, whatever that is."""
    try:
        said = f"{type(error).__name__}: {error}".strip(": ")
    except Exception:  # noqa: BLE001 - it is another's
        said = type(error).__name__
    return said.encode(errors="backslashreplace").decode()


_BETWEEN_WORDS = re.compile(r"(?=\s)|(?<=[\u2e80-\u9fff，；：！？])(?<![零〇一二三四五六七八九十百千万亿两])")
"""White space, and after any Chinese character or mark, where words are not apart; not within a numeral."""


def shortened(text: str, longest: int) -> str:
    """The text on one line, and if it is longer, its first words. Only a single word that is longer is cut, a number never is."""
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    ends = [found.start() for found in _BETWEEN_WORDS.finditer(text, 0, longest) if 0 < found.start() < longest]
    cut = text[: ends[-1]] if ends else re.sub(r"[\d.,]+$", "", text[: longest - 1])
    return f"{cut}…"


def _is_simple(text: str) -> bool:
    return bool(text) and text == text.strip() and text.isprintable() and not set(text) & set("\"'\\,=:(){}[]")


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
