"""Claims about how far a cycle is."""

from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.changes import identity
from agents.evolution.entries import Analysed, Chosen, Judged, Proposed, Retried, Settings, Spent, Stopped, Varied, Work
from agents.evolution.evaluation import Counts, Evaluation, Judgement, Tried
from agents.evolution.selecting import Selected
from agents.evolution.state import Analyse, Choose, End, Evaluate, Propose, State, Vary
from agents.evolution.strategies import Rule, Strategy

ONE, TWO, OTHER = (
    Strategy("limit", Rule(set={"limit": 1})),
    Strategy("limit", Rule(set={"limit": 2})),
    Strategy("tone", Rule(advice="kindly")),
)
CHOSEN = Chosen((Selected("t1", 1.0, {}), Selected("t2", 1.0, {})))
VARIED = Varied((ONE, TWO, OTHER), ("", "", ""))


def judged(candidate: Strategy, verdict: Judgement) -> Judged:
    return Judged(identity(candidate), Evaluation(identity(candidate), verdict, "", Counts(), Counts(), None))


def after(*work: Work, retries: int = 100, tokens: int | None = None) -> State:
    return State.of(Settings(retries=retries, tokens=tokens), work)


def test_one_unit_after_the_other() -> None:
    """Failures are chosen, each is analysed, candidates are made, each is tried, and what holds is proposed."""
    analysed = [Analysed("t1", None), Analysed("t2", None)]
    assert after().next == Choose()
    assert after(CHOSEN).next == Analyse("t1")
    assert after(CHOSEN, analysed[0]).next == Analyse("t2")
    assert after(CHOSEN, *analysed).next == Vary()
    assert after(CHOSEN, *analysed, VARIED).next == Evaluate(ONE)
    assert after(CHOSEN, *analysed, VARIED, judged(ONE, "rejected")).next == Evaluate(TWO)
    assert after(CHOSEN, *analysed, VARIED, judged(ONE, "holds")).next == Propose(ONE)


def test_of_one_name_the_first_that_holds_is_taken() -> None:
    """Its alternatives are not tried, and candidates of other names are."""
    work: list[Work] = [CHOSEN, VARIED, judged(ONE, "holds"), Proposed(identity(ONE), "limit@1")]
    assert after(*work).next == Evaluate(OTHER)
    over = after(*work, judged(OTHER, "overfitted"))
    assert over.next == End()
    assert over.holding == [ONE]


def test_nothing_is_begun_that_spends_once_the_budget_is_spent() -> None:
    """What is whole by then is proposed; failures are not analysed any more, nor candidates tried."""
    spent = Retried((), Spent(retries=100))
    assert after(CHOSEN, spent).next == Vary()
    assert after(CHOSEN, VARIED, judged(ONE, "holds"), spent).next == Propose(ONE)
    assert after(CHOSEN, VARIED, judged(ONE, "rejected"), spent).next == End()
    assert after(CHOSEN, VARIED, Stopped("so")).next == End()
    assert "5 tokens" in after(Analysed("t1", None, spent=Spent(tokens=5)), tokens=5).stopped


ENTRIES = st.sampled_from(
    [
        CHOSEN,
        Analysed("t1", None, "a"),
        Analysed("t1", None, "b"),
        VARIED,
        Retried((Tried("t1", "x", "success"),), Spent(1)),
        Retried((Tried("t1", "x", "failure"),), Spent(1)),
        judged(ONE, "holds"),
        judged(ONE, "rejected"),
        Proposed(identity(ONE), "limit@1"),
        Proposed(identity(ONE), "limit@2"),
    ]
)


@given(st.lists(ENTRIES, max_size=12), st.lists(ENTRIES, max_size=6))
def test_of_two_entries_about_one_unit_the_first_counts(work: list[Work], again: list[Work]) -> None:
    """Whatever is said again, later, changes only what was spent."""
    before, both = after(*work), after(*work, *again)
    assert both.chosen == (before.chosen or both.chosen)
    assert both.varied == (before.varied or both.varied)
    for name in ("analysed", "tried", "judged", "proposed"):
        assert getattr(both, name).items() >= getattr(before, name).items()
    assert both.spent.retries >= before.spent.retries
