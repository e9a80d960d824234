"""Claims about frameworks that are not there."""

import pytest

from agents.adapters.needing import needing
from blackboard.errors import NotInstalled


def test_what_is_missing() -> None:
    """The error names what is missing, and the extra that brings it; it is an ImportError, as Python's own."""
    told = r"this adapter needs no_such_framework, which is not installed: pip install 'pheroboard\[langchain\]'"
    with pytest.raises(NotInstalled, match=told) as error, needing("langchain"):
        import no_such_framework  # type: ignore[import-not-found]  # noqa: F401
    assert isinstance(error.value, ImportError)


def test_what_is_of_another_version() -> None:
    """A framework that has not what is used is as good as none."""
    told = r"needs another version of json \(cannot import .*\): pip install 'pheroboard\[langchain\]'"
    with pytest.raises(NotInstalled, match=told), needing("langchain"):
        from json import no_such_name  # type: ignore[attr-defined]  # noqa: F401


def test_what_is_there_passes() -> None:
    """And so does what is no error of an import."""
    with needing("langchain"):
        import json
    assert json.loads("1") == 1
    with pytest.raises(LookupError), needing("langchain"):
        raise LookupError
