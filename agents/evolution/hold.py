"""A token that says who works on a cycle, and whether that process lives: a file that it holds for as long.

The kernel lets go of the file when the process dies, in whatever way. So on one machine a cycle that was killed is gone on with at once; of
another's, nothing is known but what it writes.
"""

import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bus.lock import Held, hold


@contextmanager
def held() -> Iterator[str]:
    """A new token, which lives while the context is open. Its file stays, to tell that it does not any more, until it is forgotten."""
    token = secrets.token_hex(8)
    with hold(_file(token)):
        yield token


def forget(token: str) -> None:
    """Nobody will ask any more whether it lives."""
    if _valid(token):
        with suppress(OSError):
            _file(token).unlink()


def lives(token: str) -> bool | None:
    """Does whoever drew it live? None: that is not known: it is of another machine, or was forgotten."""
    if not _valid(token):
        return None
    file = _file(token)
    try:
        if file.is_symlink() or not file.is_file():
            return None
        hold(file).close()
    except Held:
        return True
    except OSError:
        return None
    return False


def _valid(token: str) -> bool:
    # Somebody wrote it on a board, and it is to become the name of a file.
    return re.fullmatch(r"[0-9a-f]{16}", token) is not None


def _file(token: str) -> Path:
    return Path(tempfile.gettempdir()) / f"pheroboard-cycle-{token}.lock"
