"""What a language model may call: a function, with the JSON schema of its arguments.

    def add(a: float, b: float) -> float:
        \"\"\"Add two numbers.\"\"\"
        return a + b

    tool = Tool.of(add)
    assert await tool.call({"a": 1, "b": 2}) == 3

Laws:

- Schema and check are one: what ``parameters`` describes is what ``call`` takes, and arguments that do not fit are named, not guessed at.
- What a tool raises is its caller's to tell the model; nothing here swallows it.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import Any, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from blackboard.errors import BadValue

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What providers take."""


class Tool(Struct, frozen=True):
    """A function that a model may call."""

    name: str
    description: str
    """What the model is told that it does."""
    parameters: dict[str, Any]
    """The JSON schema of its arguments: an object."""
    function: Callable[..., Any | Awaitable[Any]]
    arguments: type[Struct]
    """What its arguments are checked by."""

    @classmethod
    def of(cls, function: "Callable[..., Any] | Tool", *, without: Collection[str] = ()) -> "Tool":
        """The tool that a function is: its name, its docstring, and the types of its parameters, which must be JSON's.

        A function may be ``async``, or a method. What is a tool already stays it. ``without``: parameters that are no model's to give, but
        of whoever offers the tool (``having``). Raises ``BadValue`` for a function without a name, for a parameter without a type, and for
        one of a type, or with a default, that JSON has not.
        """
        if isinstance(function, Tool):
            return function
        name = getattr(function, "__name__", "")
        if not _NAME.fullmatch(name):
            raise BadValue(f"tool {name or function!r} has no name that a model can call it by: write it as a function, with def")
        try:
            hints = get_type_hints(function, include_extras=True)
            arguments = msgspec.defstruct(
                name, [_field(each, hints, name) for each in inspect.signature(function).parameters.values() if each.name not in without],
                kw_only=True, forbid_unknown_fields=True,
            )  # fmt: skip
            (reference,), definitions = msgspec.json.schema_components([arguments], ref_template="#/$defs/{name}")
        except (TypeError, NameError) as error:
            raise BadValue(
                f"tool {name}: {error}: give its parameters types that JSON has, which can be looked up in its module"
            ) from error
        own = definitions.pop(reference["$ref"].removeprefix("#/$defs/"))
        parameters = {key: value for key, value in own.items() if key != "title"}
        if definitions:
            parameters["$defs"] = definitions
        return cls(name, inspect.cleandoc(function.__doc__ or name), parameters, function, arguments)

    def having(self, **given: Any) -> "Tool":
        """The same tool, whose function is given these besides."""
        return replace(self, function=partial(self.function, **given))

    async def call(self, arguments: Mapping[str, Any]) -> Any:
        """Call it. Raises ``BadValue`` for arguments that do not fit, and what the function raises."""
        try:
            given = msgspec.convert(dict(arguments), self.arguments)
        except msgspec.ValidationError as error:
            raise BadValue(f"tool {self.name}: {error}") from None
        result = self.function(**{field: getattr(given, field) for field in self.arguments.__struct_fields__})
        return await result if inspect.isawaitable(result) else result


def _field(parameter: inspect.Parameter, hints: Mapping[str, Any], name: str) -> tuple[str, Any] | tuple[str, Any, Any]:
    """A parameter as a field of a struct."""
    if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY}:
        raise BadValue(f"tool {name}: parameter {parameter.name!r} cannot be named in a call: write it as an ordinary one")
    if parameter.name not in hints:
        raise BadValue(f"tool {name}: parameter {parameter.name!r} has no type: write one, as in {parameter.name}: str")
    if parameter.default is parameter.empty:
        return parameter.name, hints[parameter.name]
    default = parameter.default
    if isinstance(default, list | dict | set):  # as in Python, it is one for all calls
        default = msgspec.field(default_factory=lambda: parameter.default)
    return parameter.name, hints[parameter.name], default
