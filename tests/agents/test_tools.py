"""Claims about functions that a language model may call."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, TypedDict

import msgspec
import pytest
from msgspec import Meta, Struct

from agents.tools import Tool
from blackboard.errors import BadValue


class Place(Struct):
    """Where it is."""

    city: str
    floor: int = 0


@dataclass
class Guest:
    name: str


class Note(TypedDict):
    text: str


class book(Struct):  # noqa: N801 - as the function below is called
    """A struct that bears the name of a tool."""

    title: str


def parameters(*names: str, **properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(names), "additionalProperties": False}


async def test_a_function() -> None:
    """Its name, its docstring and the types of its parameters are what a model is told; it is called with what the model gives."""

    def add(a: float, b: float = 1.0) -> float:
        """Add two numbers.

        The second is 1, if not given.
        """
        return a + b

    tool = Tool.of(add)
    assert (tool.name, tool.description) == ("add", "Add two numbers.\n\nThe second is 1, if not given.")
    assert tool.parameters == parameters("a", a={"type": "number"}, b={"type": "number", "default": 1.0})
    assert await tool.call({"a": 1, "b": 2}) == 3.0
    assert await tool.call({"a": 1}) == 2.0
    assert Tool.of(tool) is tool


async def test_whatever_json_has() -> None:
    """Options, choices, lists, mappings, structs, data classes and typed dictionaries come as what they are."""

    def reserve(
        place: Place,
        guests: list[Guest],
        notes: dict[str, Note],
        board: Literal["half", "full"],
        nights: Annotated[int, Meta(ge=1, description="how many")],
        price: float | None = None,
        tags: tuple[str, ...] = (),
    ) -> tuple[object, ...]:
        return place, guests, notes, board, nights, price, tags

    tool = Tool.of(reserve)
    assert tool.description == "reserve"
    assert set(tool.parameters["$defs"]) == {"Place", "Guest", "Note"}
    assert tool.parameters["required"] == ["place", "guests", "notes", "board", "nights"]
    assert tool.parameters["properties"]["nights"] == {"type": "integer", "minimum": 1, "description": "how many"}
    assert tool.parameters["properties"]["board"] == {"enum": ["full", "half"]}
    assert tool.parameters["properties"]["place"] == {"$ref": "#/$defs/Place"}
    given = {
        "place": {"city": "上海"},
        "guests": [{"name": "Ann"}],
        "notes": {"a": {"text": "late"}},
        "board": "full",
        "nights": 2,
        "tags": ["x"],
    }
    assert await tool.call(given) == (Place("上海"), [Guest("Ann")], {"a": {"text": "late"}}, "full", 2, None, ("x",))


async def test_async_functions_and_methods() -> None:
    """They are called alike."""

    class Hotel:
        rate = 500

        def price(self, nights: int) -> int:
            """What it costs."""
            return self.rate * nights

    async def wait(seconds: int) -> str:
        return f"{seconds} s"

    price = Tool.of(Hotel().price)
    assert price.parameters == parameters("nights", nights={"type": "integer"})
    assert await price.call({"nights": 2}) == 1000
    assert await Tool.of(wait).call({"seconds": 3}) == "3 s"


async def test_defaults_that_can_change() -> None:
    """They are the function's own, as in Python."""

    def note(what: str, into: list[str] = ["first"]) -> list[str]:  # noqa: B006
        into.append(what)
        return into

    def mark(what: str, among: set[str] = {"first"}) -> set[str]:  # noqa: B006
        among.add(what)
        return among

    tool = Tool.of(note)
    await tool.call({"what": "second"})
    assert await tool.call({"what": "third"}) == ["first", "second", "third"]
    assert tool.parameters["required"] == ["what"]
    assert await Tool.of(mark).call({"what": "second"}) == {"first", "second"}


async def test_parameters_that_are_given_by_name_only() -> None:
    """As the model gives all by name, one that must be given may stand behind one that need not."""

    def book(nights: int = 1, *, city: str) -> str:
        return f"{nights} in {city}"

    tool = Tool.of(book)
    assert tool.parameters["required"] == ["city"]
    assert await tool.call({"city": "Lisbon"}) == "1 in Lisbon"


async def test_a_struct_of_the_tool_s_name() -> None:
    """Both are in the schema, under names of their own."""

    def reads(what: book) -> str:
        return what.title

    reads.__name__ = "book"
    tool = Tool.of(reads)
    [name] = tool.parameters["$defs"]
    assert tool.parameters["properties"] == {"what": {"$ref": f"#/$defs/{name}"}}
    assert await tool.call({"what": {"title": "Ulysses"}}) == "Ulysses"


def test_no_parameters() -> None:
    """The schema is an object with nothing in it."""

    def now() -> str:
        return "now"

    assert Tool.of(now).parameters == parameters()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "missing required field `a`"),
        ({"a": "one"}, r"Expected `int`, got `str` - at `\$.a`"),
        ({"a": 1, "b": 2}, "unknown field `b`"),
        ({"a": 1, "place": {"city": 5}}, r"at `\$.place.city`"),
    ],
)
async def test_arguments_that_do_not_fit(arguments: dict[str, object], told: str) -> None:
    """They are named, and nothing is called."""

    def act(a: int, place: Place | None = None) -> None:
        raise AssertionError

    with pytest.raises(BadValue, match=f"tool act: .*{told}"):
        await Tool.of(act).call(arguments)


async def test_what_a_tool_raises_is_its_caller_s() -> None:
    """Nothing swallows it."""

    def fail() -> None:
        raise LookupError("no such room")

    with pytest.raises(LookupError, match="no such room"):
        await Tool.of(fail).call({})


def untyped(a) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    pass


def many(*a: int) -> None:
    pass


def more(**a: int) -> None:
    pass


def places(a: int, /) -> None:
    pass


def strange(a: object) -> None:
    pass


def unknown(a: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821
    pass


def unlike(a: int = object()) -> None:  # type: ignore[assignment]
    pass


class Callable_:  # noqa: N801
    def __call__(self, a: int) -> None:
        pass


@pytest.mark.parametrize(("name", "fits"), [("a" * 64, True), ("A-b_9", True), ("a" * 65, False), ("a.b", False), ("预订", False)])
def test_names_that_a_model_can_call_by(name: str, fits: bool) -> None:
    """Up to 64 Latin letters, digits, and - and _, which all providers take."""

    def act() -> None:
        pass

    act.__name__ = name
    if fits:
        assert Tool.of(act).name == name
    else:
        with pytest.raises(BadValue, match="has no name that a model can call it by"):
            Tool.of(act)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (untyped, "parameter 'a' has no type: write one, as in a: str"),
        (many, "parameter 'a' cannot be named in a call"),
        (more, "parameter 'a' cannot be named in a call"),
        (places, "parameter 'a' cannot be named in a call"),
        (strange, "give its parameters types that JSON has"),
        (unknown, "'Nowhere' is not defined"),
        (unlike, "give its parameters types that JSON has"),
        (lambda: None, "'<lambda>' has no name that a model can call it by"),
        (partial(places, 1), "has no name"),
        (Callable_(), "has no name"),
    ],
)
def test_what_is_no_tool(function: Callable[..., object], told: str) -> None:
    """It is refused where it is made, with what is wrong."""
    with pytest.raises(BadValue, match=told):
        Tool.of(function)


def test_a_schema_is_json() -> None:
    """It can be sent as it is."""

    def act(place: Place, when: Literal[1, 2] = 1) -> None:
        pass

    assert msgspec.json.decode(msgspec.json.encode(Tool.of(act).parameters)) == Tool.of(act).parameters


async def test_what_is_no_models_to_give() -> None:
    """It is in no schema, no model can give it, and whoever offers the tool does."""

    def price(shop: str, item: str) -> str:
        """Ask for a price."""
        return f"{item} at {shop}"

    tool = Tool.of(price, without={"shop"})
    assert list(tool.parameters["properties"]) == ["item"]
    here, there = tool.having(shop="here"), tool.having(shop="there")
    assert await here.call({"item": "tea"}) == "tea at here"
    assert await there.call({"item": "tea"}) == "tea at there"
    with pytest.raises(BadValue, match="shop"):
        await here.call({"item": "tea", "shop": "mine"})
