"""Counts what is analysed to be indexed."""

import pytest

from blackboard.text import Text, cache
from blackboard.text.analysis import Analysis, analyse


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Text]:
    """The texts that will have been analysed from now on, in order."""
    texts: list[Text] = []

    def analysed(text: Text) -> Analysis:
        texts.append(text)
        return analyse(text)

    monkeypatch.setattr(cache, "analyse", analysed)
    return texts
