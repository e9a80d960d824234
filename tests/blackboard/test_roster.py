"""blackboard.roster: the hosts of a board, as one of them hears of them."""

from blackboard.roster import ABREAST, FORGOTTEN, SETTLED, SILENT, Roster
from bus.messages import Beat, HostState

HOSTS = ("a", "b", "c")


def roster(host: str, *others: str, board: str = "board", cursor: int = 100, at: float = 0.0) -> Roster:
    """What ``host`` knows: the others have been abreast for long enough at ``at + SETTLED``."""
    known = Roster(board, host)
    for second in range(int(SETTLED) + 1):
        for other in others:
            known.hear(Beat(host=other, cursor=cursor), cursor, at + second)
    return known


def test_all_agree_on_whom_a_board_falls_to() -> None:
    """Whichever host asks, the favourite is the same one; and over many boards each host is somebody's."""
    favourites = set()
    for n in range(40):
        found = {roster(host, *set(HOSTS) - {host}, board=f"board-{n}").favourite(SETTLED) for host in HOSTS}
        assert len(found) == 1
        favourites |= found
    assert favourites == set(HOSTS)


def test_one_host_less_moves_only_its_own() -> None:
    """Where a host is gone, only the boards that were its own fall to others."""
    for n in range(40):
        name = f"board-{n}"
        before, after = roster("a", "b", "c", board=name).favourite(SETTLED), roster("a", "b", board=name).favourite(SETTLED)
        assert before in {after, "c"}


def _other_favourite(**beat: object) -> tuple[Roster, str]:
    """What ``a`` knows of a board that would fall to ``b``, which has been there all the time, as ``beat`` says."""
    for n in range(40):
        name = f"board-{n}"
        if roster("a", "b", board=name).favourite(SETTLED) == "b":
            known = Roster(name, "a")
            for second in range(int(SETTLED) + 1):
                known.hear(Beat(**{"host": "b", "cursor": 5_000, **beat}), 5_000, float(second))  # type: ignore[arg-type]
            return known, known.favourite(SETTLED)
    raise AssertionError


def test_a_board_goes_to_one_that_can_have_it() -> None:
    """Not to a host that is behind, in trouble, without the board yet, silent, or has only just come."""
    assert _other_favourite()[1] == "b"
    assert _other_favourite(cursor=5_000 - ABREAST)[1] == "b"
    assert _other_favourite(cursor=5_000 - ABREAST - 1)[1] == "a"
    assert _other_favourite(trouble="the disk is full")[1] == "a"
    assert _other_favourite(joins=True)[1] == "a"
    known, _ = _other_favourite()
    assert known.favourite(SETTLED + SILENT) == "a"
    known.hear(Beat(host="b", cursor=5_000), 5_000, 20.0)  # back after a silence: it has to settle again
    assert known.favourite(20.0 + SETTLED - 1) == "a"


def test_who_is_in_trouble_gives_the_board_to_whoever_is_well() -> None:
    """A host that cannot go on is nobody's favourite, its own neither, as long as there is another."""
    for n in range(10):
        assert roster("a", "b", board=f"board-{n}").favourite(SETTLED, well=False) == "b"
    assert Roster("board", "a").favourite(0.0, well=False) == "a"


def test_how_far_all_are() -> None:
    """The slowest counts, until it was silent for long; one that waits for a snapshot does not."""
    known = Roster("board", "a")
    assert known.least(10, 0.0) == 10
    known.hear(Beat(host="b", cursor=4), 10, 0.0)
    known.hear(Beat(host="c", cursor=0, joins=True), 10, 0.0)
    assert known.accompanied(0.0)
    assert known.least(10, FORGOTTEN - 1) == 4
    assert known.least(10, FORGOTTEN) == 10
    assert not known.accompanied(FORGOTTEN)


def test_how_far_this_one_is_counts_too() -> None:
    """Where the others are further, this host is the slowest: the log is not cut beyond what it has stored itself."""
    assert roster("a", "b", cursor=20).least(10, SETTLED) == 10


def test_who_waits_for_a_snapshot() -> None:
    """A host that joins is seen to wait until it is silent, or has the board."""
    known = Roster("board", "a")
    known.hear(Beat(host="b", cursor=0, joins=True), 10, 0.0)
    assert known.joining(0.0)
    assert not known.joining(SILENT)
    known.hear(Beat(host="b", cursor=9), 10, 1.0)
    assert not known.joining(1.0)


def test_how_each_stands() -> None:
    """Each other host is described; its own word is not taken for another's, and one that was silent for long is left out."""
    known = Roster("board", "a")
    known.hear(Beat(host="a", cursor=3), 10, 0.0)
    known.hear(Beat(host="c", cursor=12), 10, 0.0)
    known.hear(Beat(host="b", cursor=7, trouble="no room"), 10, 0.5)
    b, c = HostState(host="b", behind=3, silent=0.5, trouble="no room"), HostState(host="c", silent=1.0)
    assert known.states(10, 1.0) == (b, c)
    assert known.states(10, 60.2) == (HostState(host="b", behind=3, silent=59.7, trouble="no room"),)


def test_who_is_silent_leads_no_more() -> None:
    """A host that was killed while it led is not shown as the leader beside the one that took over."""
    known = Roster("board", "a")
    known.hear(Beat(host="b", cursor=10, leads=True), 10, 0.0)
    assert [state.leads for now in (0.5, SILENT) for state in known.states(10, now)] == [True, False]


def test_two_of_one_name() -> None:
    """The younger of two hosts of one name finds the elder out, once that goes on being heard; nobody finds itself, or its former life."""
    known = Roster("board", "a", "mine")

    def doubled(at: float, **beat: object) -> bool:
        return known.doubled(Beat(**{"host": "a", "cursor": 0, "life": "other", **beat}), at, at)  # type: ignore[arg-type]

    for late in range(10):
        assert not doubled(0.1, life="former", age=100.0 + late)
    assert not doubled(1.0, age=50.0)
    assert not doubled(2.0, age=51.0)
    assert doubled(1.0 + SILENT, age=50.0 + SILENT)
    assert not doubled(5.0, age=1.0)
    assert not doubled(5.0, age=55.0, life="mine")
    assert not doubled(5.0, age=55.0, host="b")
