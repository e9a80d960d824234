"""What LangGraph documents of a store, held for its own in-memory one and for ours."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from agents.adapters import MemoryService
from agents.adapters.langgraph import PheromoneStore
from tests.agents.adapters.langgraph.stores import ADA, names

WORDS = ("tea", "coffee", "train", "plane", "green", "black")


def embed(texts: Any) -> list[list[float]]:
    return [[float(text.lower().count(word)) for word in WORDS] for text in texts]


@pytest.fixture(scope="module")
def services() -> Iterator[list[MemoryService]]:
    made: list[MemoryService] = []
    yield made
    for each in made:
        each.close()


@pytest.fixture(params=["theirs", "ours"])
def store(request: pytest.FixtureRequest, services: list[MemoryService]) -> BaseStore:
    """LangGraph's own store, with words for an embedding; and ours."""
    if request.param == "theirs":
        return InMemoryStore(index={"dims": len(WORDS), "embed": embed, "fields": ["$"]})
    services.append(MemoryService(":memory:"))
    return PheromoneStore(services[-1], "ada")


def filled(store: BaseStore, namespace: tuple[str, ...] = ADA, **values: Any) -> BaseStore:
    for key, value in values.items():
        store.put(namespace, key, value)
    return store


def test_what_is_put_is_got_until_it_is_deleted(store: BaseStore) -> None:
    """Whole and with its times; what is not there is None, and to delete it is no error."""
    before = datetime.now(UTC)
    value = {"memory": "Ada drinks tea", "n": 1, "f": 1.5, "yes": True, "no": None, "深": {"列": [1, "二", {"三": []}]}, "empty": {}}
    assert store.get(ADA, "1") is None
    store.put(ADA, "1", value)
    found = store.get(ADA, "1")
    assert found is not None
    assert (found.namespace, found.key, found.value) == (ADA, "1", value)
    assert before <= found.created_at <= found.updated_at <= datetime.now(UTC)
    assert store.get(("memories",), "1") is None
    assert store.get(ADA, "2") is None
    for _ in range(2):
        store.delete(ADA, "1")
    assert store.get(ADA, "1") is None
    assert store.search(ADA) == []
    store.put(ADA, "1", {})
    assert store.get(ADA, "1").value == {}  # type: ignore[union-attr]


def test_the_last_put_counts(store: BaseStore) -> None:
    """Also if it says what an earlier one said; and one document is one result."""
    for drink in ("tea", "coffee", "tea"):
        store.put(ADA, "drink", {"memory": drink})
        assert [each.value for each in store.search(ADA)] == [{"memory": drink}]
    found = store.get(ADA, "drink")
    assert found is not None
    assert found.updated_at >= found.created_at


def test_what_is_got_is_the_callers(store: BaseStore) -> None:
    """What is put is a copy: what becomes of the mapping afterwards is not in the store."""
    value = {"memory": "tea"}
    store.put(ADA, "1", value)
    value["memory"] = "coffee"
    assert store.get(ADA, "1").value == {"memory": "tea"}  # type: ignore[union-attr]


ODD = ["", " ", "a  b", " a", "a\tb", "%", "%2F", "*", "a/b", "/", "é", "e\u0301", "\u0301", "键", "🍵", "ﬁ", "x\x1f", "q" * 200]


def test_names_are_kept_as_they_are(store: BaseStore) -> None:
    """Whatever stands in a key or a label: each is a name of its own, and comes back byte for byte."""
    for n, name in enumerate(ODD):
        store.put(("odd", name or "-"), name, {"n": n})
    for n, name in enumerate(ODD):
        found = store.get(("odd", name or "-"), name)
        assert found is not None
        assert (found.namespace[1], found.key, found.value["n"]) == (name or "-", name, n)
        assert [each.key for each in store.search(("odd", name or "-"))] == [name]
    assert {each.key for each in store.search(("odd",), limit=100)} == set(ODD)
    assert set(store.list_namespaces(prefix=("odd",))) == {("odd", name or "-") for name in ODD}


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("a", 5), ("a", "\x00"), ("langgraph", "a")])
def test_a_namespace_that_is_none_is_refused(store: BaseStore, namespace: Any) -> None:
    """Before anything is put; and nothing is looked for below one either."""
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "1", {"memory": "tea"})
    if namespace and namespace[0] != "langgraph":
        for call in (lambda: store.get(namespace, "1"), lambda: store.search(namespace), lambda: store.delete(namespace, "1"),
                     lambda: store.list_namespaces(prefix=namespace), lambda: store.list_namespaces(suffix=namespace)):  # fmt: skip
            with pytest.raises(InvalidNamespaceError):
                call()
    assert store.search(()) == []


def test_a_search_is_of_a_namespace_and_all_below_it(store: BaseStore) -> None:
    """By whole labels; of the empty prefix all is below."""
    for namespace in (("users",), ("users", "ada"), ("users", "ada", "old"), ("users", "adam"), ("users2",)):
        store.put(namespace, "-".join(namespace), {"n": 1})
    assert names(store.search(("users", "ada"))) == {"users-ada", "users-ada-old"}
    assert names(store.search(("users",))) == {"users", "users-ada", "users-ada-old", "users-adam"}
    assert len(store.search(())) == 5
    assert store.search(("user",)) == []


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        ({"kind": "drink"}, "ab"),
        ({"kind": {"$eq": "drink"}}, "ab"),
        ({"kind": {"$ne": "drink"}}, "cd"),
        ({"price": {"$gt": 2}}, "bc"),
        ({"price": {"$gte": 2.0}}, "abc"),
        ({"price": {"$lt": 3}}, "a"),
        ({"price": {"$lte": 3}}, "ab"),
        ({"price": {"$gte": 3, "$lt": 4}}, "b"),
        ({"price": {"$gt": 1}, "kind": "drink"}, "ab"),
        ({"from": {"country": "China"}}, "a"),
        ({"from": {"year": {"$gt": 2000}}}, "b"),
        ({"tags": ["hot", "green"]}, "a"),
        ({"tags": ["hot"]}, ""),
        ({"none": None}, "abcd"),
        ({}, "abcd"),
    ],
)
def test_filters(store: BaseStore, wanted: dict[str, Any], keys: str) -> None:
    """A field is the same, or as its operators want it; all fields given; into mappings and lists."""
    filled(
        store,
        a={"kind": "drink", "price": 2, "from": {"country": "China", "year": 1990}, "tags": ["hot", "green"]},
        b={"kind": "drink", "price": 3, "from": {"country": "Japan", "year": 2020}, "tags": []},
        c={"kind": "ride", "price": 99.5},
    )
    if not any(name in str(wanted) for name in ("$gt", "$lt")):  # theirs takes what is not there for a number, and fails
        filled(store, d={"kind": "note"})
        assert names(store.search(ADA, filter=wanted)) == set(keys)
    else:
        assert names(store.search(ADA, filter=wanted)) == set(keys) - {"d"}


def test_an_operator_that_is_none_is_refused(store: BaseStore) -> None:
    """It is a misspelt one."""
    filled(store, a={"price": 2})
    with pytest.raises(ValueError, match=r"\$near"):
        store.search(ADA, filter={"price": {"$near": 2}})


def test_pages_are_of_what_the_filter_leaves(store: BaseStore) -> None:
    """``limit`` is 10 unless said, and pages add up to the whole, however few of the namespace meet the filter."""
    for n in range(40):
        store.put(ADA, str(n), {"n": n, "ten": n % 10 == 0})
    assert len(store.search(ADA)) == 10
    assert names(store.search(ADA, filter={"ten": True})) == {"0", "10", "20", "30"}
    pages = [store.search(ADA, limit=15, offset=offset) for offset in (0, 15, 30, 45)]
    assert [len(page) for page in pages] == [15, 15, 10, 0]
    assert len({each.key for page in pages for each in page}) == 40
    assert len(store.search(ADA, filter={"ten": True}, limit=3, offset=2)) == 2


def test_a_query_ranks_what_it_finds(store: BaseStore) -> None:
    """The best first, with a score; then the rest, as far as the limit goes. An empty query ranks nothing."""
    filled(
        store,
        cup={"text": "green tea, tea, tea"}, mix={"text": "tea on the train"}, far={"text": "a plane"}, off={"text": "black coffee"},
    )  # fmt: skip
    found = store.search(ADA, query="tea")
    assert [each.key for each in found[:2]] == ["cup", "mix"]
    assert all(each.score for each in found[:2])
    assert not any(each.score for each in found[2:])
    assert names(found) == {"cup", "mix", "far", "off"}
    assert [each.key for each in store.search(ADA, query="tea", limit=1, offset=1)] == ["mix"]
    assert names(store.search(ADA, query="tea", filter={"text": {"$ne": "tea on the train"}}, limit=1)) == {"cup"}
    assert all(each.score is None for each in store.search(ADA, query=""))
    assert store.search(("memories", "bob"), query="tea") == []


def test_a_put_says_what_of_it_a_query_finds(store: BaseStore) -> None:
    """Nothing, or some of its fields; all of it can be got."""
    store.put(ADA, "not", {"text": "tea"}, index=False)
    store.put(ADA, "some", {"text": "tea", "more": [{"ride": "train"}, {"ride": "plane"}]}, index=["more[*].ride"])
    assert [each.key for each in store.search(ADA, query="train") if each.score] == ["some"]
    assert [each.key for each in store.search(ADA, query="tea") if each.score] == []
    assert names(store.search(ADA, query="tea")) == {"not", "some"}
    assert store.get(ADA, "not").value == {"text": "tea"}  # type: ignore[union-attr]


NAMESPACES = [
    ("a", "b", "c"),
    ("a", "b", "d", "e"),
    ("a", "b", "d", "i"),
    ("a", "b", "f"),
    ("a", "c", "f"),
    ("b", "a", "f"),
    ("users", "1", "v1"),
]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, NAMESPACES),
        ({"prefix": ("a", "b"), "max_depth": 3}, [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f")]),
        ({"max_depth": 1}, [("a",), ("b",), ("users",)]),
        ({"suffix": ("f",)}, [("a", "b", "f"), ("a", "c", "f"), ("b", "a", "f")]),
        ({"prefix": ("a",), "suffix": ("f",)}, [("a", "b", "f"), ("a", "c", "f")]),
        ({"prefix": ("a", "*", "f")}, [("a", "b", "f"), ("a", "c", "f")]),
        ({"prefix": ("*", "1")}, [("users", "1", "v1")]),
        ({"suffix": ("d", "*")}, [("a", "b", "d", "e"), ("a", "b", "d", "i")]),
        ({"prefix": ("users", "*", "v1")}, [("users", "1", "v1")]),
        ({"prefix": ("a", "b", "c", "d")}, []),
        ({"limit": 2, "offset": 1}, NAMESPACES[1:3]),
        ({"offset": 99}, []),
    ],
)
def test_namespaces_are_listed(store: BaseStore, asked: dict[str, Any], found: list[tuple[str, ...]]) -> None:
    """In order, each once, of a prefix and a suffix with wildcards, cut to a depth, a page at a time."""
    for namespace in NAMESPACES:
        store.put(namespace, "1", {"n": 1})
        store.put(namespace, "2", {"n": 2})
    assert store.list_namespaces(**asked) == found


def test_a_batch_gives_a_result_for_each_operation_in_order(store: BaseStore) -> None:
    """Its reads see what was there before it; of several puts of one document the last is done."""
    filled(store, a={"n": 1})
    prefix = (MatchCondition("prefix", ADA),)
    ops: list[Op] = [
        PutOp(ADA, "a", {"n": 2}), GetOp(ADA, "a"), PutOp(ADA, "b", {"n": 3}), SearchOp(ADA), PutOp(ADA, "b", None), GetOp(ADA, "c"),
        ListNamespacesOp(match_conditions=prefix), PutOp(ADA, "a", {"n": 4}),
    ]  # fmt: skip
    put, got, _, [found], *_, missing, listed, _ = store.batch(ops)  # type: ignore[misc]
    assert (put, got.value, found.value, missing, listed) == (None, {"n": 1}, {"n": 1}, None, [ADA])  # type: ignore[union-attr]
    assert [each.value for each in store.search(ADA)] == [{"n": 4}]
    assert store.batch([]) == []


def test_an_operation_that_is_none_is_refused(store: BaseStore) -> None:
    """It is not passed over."""
    with pytest.raises(ValueError, match="operation"):
        store.batch(["get"])  # type: ignore[list-item]


async def test_all_of_it_can_be_awaited(store: BaseStore) -> None:
    """The twins do the same, and many at once."""
    await asyncio.gather(*(store.aput((*ADA, str(n % 2)), str(n), {"n": n, "text": "tea" * (n == 3)}) for n in range(10)))
    assert [(await store.aget((*ADA, "1"), "3")).value["n"]] == [3]  # type: ignore[union-attr]
    assert (await store.asearch(ADA, query="tea"))[0].key == "3"
    assert names(await store.asearch(ADA, filter={"n": {"$lt": 2}})) == {"0", "1"}
    assert await store.alist_namespaces(prefix=ADA) == [(*ADA, "0"), (*ADA, "1")]
    await store.adelete((*ADA, "1"), "3")
    assert await store.abatch([GetOp((*ADA, "1"), "3"), GetOp((*ADA, "0"), "4")]) == [None, await store.aget((*ADA, "0"), "4")]
    with pytest.raises(InvalidNamespaceError):
        await store.aput((), "1", {"n": 1})
