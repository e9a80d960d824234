"""blackboard.lazy: names that are loaded when they are first asked for."""

import sys
from pathlib import Path

import pytest


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """One that has a name in a module of its own."""
    (tmp_path / "lazily_made").mkdir()
    (tmp_path / "lazily_made" / "__init__.py").write_text(
        "from blackboard.lazy import lazy\n\n__getattr__, __dir__ = lazy(__name__, {'answer': 'deep', 'gone': 'deep'})\n"
    )
    (tmp_path / "lazily_made" / "deep.py").write_text("answer = object()\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "lazily_made", None)
    del sys.modules["lazily_made"]
    return "lazily_made"


def test_a_name_is_loaded_once_when_it_is_asked_for(package: str) -> None:
    """Not with the package, which knows it all the same."""
    made = __import__(package)
    assert f"{package}.deep" not in sys.modules
    assert {"answer", "gone", "__name__"} <= set(dir(made))
    assert made.answer is sys.modules[f"{package}.deep"].answer
    assert vars(made)["answer"] is made.answer


def test_a_name_that_is_not_there_is_told(package: str) -> None:
    """Of a package that has none such, and of a module that has it no more."""
    made = __import__(package)
    with pytest.raises(AttributeError, match="module 'lazily_made' has no attribute 'question'"):
        made.question  # noqa: B018
    with pytest.raises(AttributeError, match=r"lazily_made\.deep.*gone"):
        made.gone  # noqa: B018
