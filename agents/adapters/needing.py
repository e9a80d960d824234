"""Frameworks that are asked for and are not there: the error names the extra that brings them."""

from collections.abc import Iterator
from contextlib import contextmanager

from blackboard.errors import NotInstalled


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Around an adapter's imports: what is missing, or is of a version that has not what is used, raises ``NotInstalled`` with the cure.

    with needing("langchain"):
        from langchain.agents.middleware import AgentMiddleware
    """
    try:
        yield
    except ImportError as error:
        what = (
            f"{error.name}, which is not installed"
            if isinstance(error, ModuleNotFoundError)
            else f"another version of {error.name} ({error})"
        )
        raise NotInstalled(f"this adapter needs {what}: pip install 'pheroboard[{extra}]'") from error
