"""What the command line itself refuses. (Apart from the rest so that ``main`` knows it without importing any command.)"""


class CommandError(Exception):
    """The command cannot do what was asked. The message says why, and the cure."""
