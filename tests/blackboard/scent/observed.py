"""What is observed of a text, as tests look at it."""

from blackboard.scent import Scent, observe


def said(text: str, *, topic: str | None = None, focus: str | None = None) -> list[tuple[str, str | None, object]]:
    """Type, target and value of each scent."""
    return [(scent.type, scent.target, scent.value) for scent in observe(text, topic=topic, focus=focus)]


def only(text: str) -> Scent:
    """The one scent of a text."""
    scents = observe(text)
    assert len(scents) == 1, scents
    return scents[0]


def types(text: str) -> list[str]:
    return [scent.type for scent in observe(text)]


def values(text: str, type_: str) -> list[object]:
    return [scent.value for scent in observe(text) if scent.type == type_]
