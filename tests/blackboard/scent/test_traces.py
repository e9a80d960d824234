"""Claims about what stands of what a field keeps."""

from blackboard.scent import Scent
from blackboard.scent.traces import About, Snapshot, Trace, named_by, says, slot_of, standing, strongest
from tests.blackboard.scent.said import directive, order, plain, ship


def stands(*scents: Scent) -> list[list[int]]:
    """The places of those that stand, each thing said for itself; the scents come in the order of release."""
    traces = [Trace(scent, 1, n) for n, scent in enumerate(scents)]
    return [[trace.number for trace in group] for group in standing(reversed(traces))]


def test_the_newest_value_of_a_slot_stands_with_all_that_say_it() -> None:
    """In other words, too."""
    beijing = [ship("Beijing"), Scent("shipping_address", 0.5, 0.9, value="Beijing", kind="slot", content="off to Beijing")]
    assert stands(ship("Beijing"), ship("Shanghai"), *beijing) == [[3, 2, 0]]
    full_width = Scent("shipping_address", 0.5, 0.9, value="Ｂeijing", kind="slot", content=ship("Beijing").content)
    assert stands(ship("Shanghai"), ship("Beijing"), full_width) == [[2, 1]]


def test_without_a_value_it_is_what_a_slot_says() -> None:
    """Two contents are two values."""
    assert stands(*(Scent("note", 0.5, 0.9, content=content, kind="slot") for content in ("a", "b", "a"))) == [[2, 0]]


def test_each_target_is_a_slot_of_its_own() -> None:
    """As each order is."""
    assert stands(ship("Beijing", target="A1"), ship("Shanghai", target="B2"), ship("Tianjin", target="A1")) == [[2], [1]]
    assert stands(order("A1"), order("B2"), order("A1")) == [[2, 0], [1]]


def test_a_value_without_a_kind_is_a_slot_s() -> None:
    """As in a scent made by hand; several values may be one."""
    assert slot_of(Scent("dish", 0.5, 0.9, value=["duck"])) == ("dish", None)
    assert slot_of(Scent("dish", 0.5, 0.9, content="duck")) is None
    assert stands(*(Scent("dish", 0.5, 0.9, value=value) for value in (["duck"], ["duck", "rice"], ["duck"]))) == [[2, 0]]


def test_what_is_no_slot_s_stands_side_by_side() -> None:
    """A thing said for each content and target."""
    assert stands(directive("cancel", "cancel it"), directive("change", "change it"), directive("cancel", "cancel it")) == [[2, 0], [1]]
    assert stands(directive("cancel", "it", target="A1"), directive("cancel", "it", target="B2")) == [[1], [0]]
    assert stands(*(Scent("directive", 0.5, 0.9, value=verb, kind="state") for verb in "aba")) == [[2, 0], [1]]
    assert stands(plain("general", 0.3), plain("general", 0.4)) == [[1, 0]]


def test_the_strongest_stay_in_the_order_of_release() -> None:
    """However strong each is."""
    traces = [Trace(Scent("note", shade, 0.9, content=f"{shade}"), 1, n) for n, shade in enumerate((0.9, 0.1, 0.5, 0.7))]
    assert [trace.number for trace in strongest(traces, 3)] == [0, 2, 3]


def test_what_says_nothing() -> None:
    """Has neither a value nor words."""
    assert [says(each) for each in (plain("general", 0.4), ship("Beijing"), Scent("note", 0.3, 0.9, content="hm"))] == [False, True, True]


def test_what_has_neither_target_nor_value_names_nothing() -> None:
    """As in a scent made by hand: "the order", whichever."""
    nameless = plain("order_reference", 0.7)
    assert named_by(nameless) is None
    assert Snapshot(task="", round=1, scents=(nameless,), about=About(focus=nameless)).entities == set()


def test_a_snapshot_knows_what_it_is_about() -> None:
    """Orders by number, anything else by its target; a value is no order."""
    scents = (order("A1"), Scent("order_reference", 0.7, 0.88, value="B2"), ship("Beijing", target="C3"), ship("D4"))
    assert Snapshot(task="", round=1, scents=scents, about=About(focus=order("E5"))).entities == {"A1", "B2", "C3", "E5"}
