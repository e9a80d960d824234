"""Children of the examples that run agents in processes of their own."""

import os
import signal
from contextlib import suppress

from anyio.abc import Process


def kill(process: Process) -> None:
    """Kill a child, if it runs still.

    Not by ``process.kill()``: that asks for the exit status first, and takes it from under the event loop's watcher if the child has just
    ended, which then complains of an unknown process.
    """
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
