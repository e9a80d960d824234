"""What can be recorded of a task, whether an agent records it or a file has it (chapter 5, "Recording"). Pure.

Law: the same is refused everywhere, with the field, the value and the cure.
"""

from agents.memory.plain import as_read, require_id
from agents.memory.records import TaskLog, Turn
from blackboard.errors import BadValue


def validated(turn: Turn) -> Turn:
    """The turn as it will be read again. Raises ``BadValue``, which names what is wrong, for one that cannot be recorded."""
    turn = as_read(turn)
    require_turn(turn)
    return turn


def validated_log(log: TaskLog) -> TaskLog:
    """The log as it will be read again. Raises ``BadValue``, which names the field and what is wrong, for one that cannot be recorded."""
    require_id(log.id)
    log = as_read(log)
    require_request(log.request)
    if not log.agent.strip():
        raise BadValue(f"a task's agent is {log.agent!r}: name whose task it is")
    for number, turn in enumerate(log.turns):
        try:
            require_turn(turn)
        except BadValue as error:
            raise BadValue(f"$.turns[{number}]: {error}") from None
    return log


def require_request(request: str) -> None:
    """Raise ``BadValue`` for what asks for nothing."""
    if not request.strip():
        raise BadValue(f"a task's request is {request!r}: say what is asked for")


def require_turn(turn: Turn) -> None:
    """Raise ``BadValue`` for a turn that says nothing, or does not say by whom, of what tool, or at what cost."""
    for call in turn.calls:
        if not call.name.strip():
            raise BadValue(f"a call of the tool {call.name!r}: name it")
    if not turn.by.strip():
        raise BadValue(f"a turn by {turn.by!r}: name who spoke, or leave it out")
    if not turn.text.strip() and not turn.calls:
        raise BadValue(f"a turn by {turn.by!r} says nothing and calls nothing: leave it out")
    for what, amount in (("tokens", turn.tokens), ("seconds", turn.seconds)):
        if amount < 0:
            raise BadValue(f"a turn's {what} are {amount!r}: give a number of at least 0")
