"""A board's snapshot in JetStream's object-store layout: chunks on a subject of their own, and what is said of them on another.

Laws:

- It is there once what is said of it is: half a snapshot is never seen, and one that is replaced meanwhile is noticed by its reader.
- A chunk is stored once, however often it is sent: each says what came before it.
- What is said of it and cannot be read counts as nothing, so that it is put anew.
- What is said of a snapshot says in whose place it is put: of two hosts that put one at once, the second to end is refused. What others
  have left half done goes with the next that is put.

An object store holds one board's snapshot alone, so that with the store every byte of it is gone.
"""

import asyncio
import base64
import hashlib
import logging
import secrets
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from bus.connection import PAUSE, Connection, Nobody
from bus.errors import LogMismatch, StreamRefused
from bus.jetstream import EXPECTED_LAST, NO_STREAM, PLACE, WRONG_LAST, snapshot_subject, snapshots_config, snapshots_stream
from bus.port import Snapshot

OBJECT = "board"
"""The name under which it stands."""

_logger = logging.getLogger(__name__)


class _Info(Struct, omit_defaults=True):
    """What is said of it, as far as it concerns us."""

    name: str
    description: str
    bucket: str
    nuid: str
    size: int
    chunks: int
    digest: str
    mtime: str
    deleted: bool = False


async def put(connection: Connection, board: str, about: str, chunks: AsyncIterator[bytes]) -> None:
    """Put a snapshot in the place of the one there. Raises ``BusError`` where another host has put one meanwhile."""
    stream = snapshots_stream(board)
    former, info = await _last(connection, board)
    if info is None:
        await connection.create(stream, snapshots_config(board))
    nuid, size, count, digest = secrets.token_hex(11), 0, 0, hashlib.sha256()
    subject, last = snapshot_subject(board, f"C.{nuid}"), 0
    async for chunk in chunks:
        last = await _store(connection, stream, subject, chunk, last)
        size, count = size + len(chunk), count + 1
        digest.update(chunk)
    said = _Info(
        name=OBJECT, description=about, bucket=stream.removeprefix("OBJ_"), nuid=nuid, size=size, chunks=count,
        digest=f"SHA-256={base64.urlsafe_b64encode(digest.digest()).decode()}", mtime=datetime.now(UTC).isoformat(),
    )  # fmt: skip
    try:
        await connection.jetstream(_name(board), msgspec.json.encode(said), {"Nats-Rollup": "sub", EXPECTED_LAST: str(former)})
    except StreamRefused as error:
        _, stands = await _last(connection, board)
        if error.code not in WRONG_LAST or stands is None or stands.nuid != nuid:  # else its acknowledgement was lost
            raise
    held = await connection.api(f"STREAM.INFO.{stream}", {"subjects_filter": snapshot_subject(board, "C.*")})
    for other in held["state"].get("subjects", {}).keys() - {subject}:
        await connection.api(f"STREAM.PURGE.{stream}", {"filter": other})


async def get(connection: Connection, board: str) -> Snapshot | None:
    """The snapshot that is there."""
    _, info = await _last(connection, board)
    return None if info is None else Snapshot(info.description, _chunks(connection, board, info))


async def drop(connection: Connection, board: str) -> None:
    """Delete the board's object store."""
    try:
        await connection.api(f"STREAM.DELETE.{snapshots_stream(board)}", {})
    except StreamRefused as error:
        if error.code != NO_STREAM:
            raise


async def _last(connection: Connection, board: str) -> tuple[int, _Info | None]:
    """The place in the stream of what is said of the snapshot, and that; 0 and None where there is none."""
    try:
        found = await connection.last(snapshots_stream(board), _name(board), insist=False)
    except Nobody:
        found = None
    if found is None:
        return 0, None
    place = int((found.headers or {}).get(PLACE, 0))
    try:
        info = msgspec.json.decode(found.data, type=_Info)
    except msgspec.DecodeError as error:
        _logger.warning("what stream %s says of the snapshot of board %r cannot be read: %s", snapshots_stream(board), board, error)
        return place, None
    return place, None if info.deleted else info


async def _store(connection: Connection, stream: str, subject: str, chunk: bytes, last: int) -> int:
    """Store a chunk behind the one at ``last``; its own number."""
    while True:
        try:
            ack = await connection.jetstream(subject, chunk, {EXPECTED_LAST: str(last)})
        except StreamRefused as error:
            if error.code not in WRONG_LAST:
                raise
            found = await connection.last(stream, subject)
            if found is None and last:  # all of it has gone, since another host has put one
                raise
        else:
            return int(ack["seq"])
        if (place := int(((found and found.headers) or {}).get(PLACE, 0))) > last:
            return place  # nobody else writes there: its acknowledgement was lost
        await asyncio.sleep(PAUSE)


async def _chunks(connection: Connection, board: str, info: _Info) -> AsyncIterator[bytes]:
    subject, place, digest = snapshot_subject(board, f"C.{info.nuid}"), 0, hashlib.sha256()
    for n in range(info.chunks):
        request = msgspec.json.encode({"seq": place + 1, "next_by_subj": subject})
        found = await connection.direct(snapshots_stream(board), request)
        if found is None:
            raise LogMismatch(f"the snapshot of board {board!r} ends before chunk {n} of {info.chunks}: it was replaced; get it again")
        place = int((found.headers or {}).get(PLACE, 0))
        digest.update(found.data)
        yield found.data
    if info.digest != f"SHA-256={base64.urlsafe_b64encode(digest.digest()).decode()}":
        raise LogMismatch(f"the snapshot of board {board!r} is not what was put there: delete stream {snapshots_stream(board)}")


def _name(board: str) -> str:
    return snapshot_subject(board, f"M.{base64.urlsafe_b64encode(OBJECT.encode()).decode()}")
