"""Frameworks that are asked for and are not there: the error names the extra that brings them."""

from collections.abc import Iterator
from contextlib import contextmanager

from blackboard.errors import NotInstalled


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Around an adapter's imports: what is missing raises ``NotInstalled``, which names ``extra``.

    with needing("langchain"):
        from langchain.agents.middleware import AgentMiddleware
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise NotInstalled(f"this adapter needs {error.name}, which is not installed: pip install 'pheroboard[{extra}]'") from error
