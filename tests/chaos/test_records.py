"""What processes write down of themselves."""

from pathlib import Path

from bus.messages import Confirm
from tests.chaos.records import Accepted, AnyLine, Failed, Record, Said, read


def test_is_taken_up_again(tmp_path: Path) -> None:
    """What was written is there for whoever opens it next, who goes on behind it."""
    path = tmp_path / "record"
    lines = [Said(0, (Confirm("x"),)), Accepted(0), Failed(1, "no")]
    with Record(path, AnyLine) as record:
        record.write(*lines[:2])
    with Record(path, AnyLine) as record:
        assert record.lines == lines[:2]
        record.write(lines[2])
    assert read(path, AnyLine) == lines


def test_a_torn_line(tmp_path: Path) -> None:
    """Half a line that a kill has left is dropped, and does not stick to the next."""
    path = tmp_path / "record"
    path.write_bytes(b'["accepted",1]\n["acc')
    with Record(path, AnyLine) as record:
        record.write(Accepted(2))
    assert read(path, AnyLine) == [Accepted(1), Accepted(2)]
