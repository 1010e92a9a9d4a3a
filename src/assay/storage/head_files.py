"""Head files: the number and hash of the last entry of a history, kept outside its database in a small signed file.

A database that lost its end (a damaged write-ahead log, a restored copy) looks whole by itself. The file is written
after every commit, so the two differ. It is signed with SHA-256, which shows damage to the file itself; with
ASSAY_HEAD_KEY set, with HMAC-SHA256, which somebody who can write here but does not know the key cannot forge. Deleting
the file cannot be told from never having had one: write a head down elsewhere for that.
"""

from __future__ import annotations

import glob
import hashlib
import hmac
import json
import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.errors import UsageError, mask_password
from assay.storage.database import is_postgres

KEY = "ASSAY_HEAD_KEY"
FOLDER = "ASSAY_HEADS"
DATA_FOLDER = Path(".assay") / "heads"  # for databases that are no file

log = logging.getLogger(__name__)
_WRITTEN_DOWN = re.compile(r"(?:(\d{1,18}):)?([0-9a-f]{8,64})")


@dataclass(frozen=True)
class Head:
    """The number and the hash of the last entry."""

    count: int
    hash: str

    def __str__(self) -> str:
        return f"{self.count}:{self.hash}"


def parse_head(text: str) -> tuple[int | None, str]:
    """A head somebody wrote down, COUNT:HASH or the hash alone; eight digits of the hash are enough.

    >>> parse_head("12:39e3794a")
    (12, '39e3794a')
    """
    found = _WRITTEN_DOWN.fullmatch(text.strip().lower())
    if not found:
        raise UsageError(f"a head is COUNT:HASH, like 12:39e3794a53ab9686, with at least 8 hex digits, not {text!r}")
    return (int(found[1]) if found[1] else None), found[2]


class HeadFileError(Exception):
    """The file cannot be trusted; the message says why."""


HeadState = Head | HeadFileError | None
"""What a head file holds: a head, the reason why it cannot be trusted, or nothing."""


def find_lost(kept: HeadState, end: int, held: Callable[[int], str | None]) -> tuple[int, str] | None:
    """The first entry that a head file knows of and a database does not, and why; `held` gives an entry's hash."""
    if kept is None:
        return None
    if isinstance(kept, HeadFileError):
        return end, f"where the history ends cannot be compared: {kept}; delete that file to begin a new one"
    if kept.count > end:
        return end + 1, f"missing: the head file beside it says that entries were written up to {kept.count}"
    return None if held(kept.count) == kept.hash else (kept.count, "is not the entry that its head file names")


class HeadFile:
    """One file for one history; several processes may write it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._left: Head | None = None  # what this process wrote last: known to be of this history

    @classmethod
    def beside(cls, place: str | os.PathLike[str], name: str) -> HeadFile:
        """The file of a history: beside an SQLite file, else in the data folder under the address of the server."""
        stem = _stem(place)
        return cls(stem.with_name(f"{stem.name}.{name}.head"))

    @staticmethod
    def names(place: str | os.PathLike[str]) -> list[str]:
        """The names of all histories of a database that have a file."""
        stem = _stem(place)
        found = stem.parent.glob(f"{glob.escape(stem.name)}.*.head")
        return sorted(path.name[len(stem.name) + 1 : -len(".head")] for path in found)

    def peek(self) -> HeadState:
        """What the file says now, to be compared by `find_lost` with a database that is read afterwards."""
        try:
            return self.read()
        except HeadFileError as problem:
            return problem

    def read(self) -> Head | None:
        """What the file says; None if there is none."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise HeadFileError(f"{self.path} cannot be read: {problem.strerror}") from problem
        try:
            held = json.loads(data)
            head, seal = Head(int(held["count"]), str(held["hash"])), str(held["seal"])
        except (ValueError, TypeError, KeyError, RecursionError) as problem:
            raise HeadFileError(f"{self.path} is damaged") from problem
        if not hmac.compare_digest(seal.encode("utf-8", "replace"), _signature(head).encode()):
            signed = f"was not signed with the key in {KEY}" if os.environ.get(KEY) else "is damaged"
            raise HeadFileError(f"{self.path} {signed}")
        return head

    def advance(self, head: Head, held: Callable[[int], str | None]) -> None:
        """Moves the file on to a new end, after its commit; a file that this history does not hold is left as it is.

        What cannot be written is logged: the entry itself is safe.
        """
        try:
            with self._locked():
                before = self.read()
                if before is not None and before.count > head.count:
                    return  # another process is further on, or the end was lost: `find_lost` tells
                if before not in (None, self._left) and held(before.count) != before.hash:
                    log.warning("%s names an entry that the database does not hold: its end was lost", self.path)
                    return
                self._write(head)
                self._left = head
        except (OSError, HeadFileError) as problem:
            log.warning("where the history ends was not noted: %s", problem)

    def _write(self, head: Head) -> None:
        body = json.dumps({"count": head.count, "hash": head.hash, "seal": _signature(head)}) + "\n"
        temporary = self.path.with_name(f"{self.path.name}.part")  # the lock makes it ours alone
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One process at a time; the folder is locked, as the file itself is replaced."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            import fcntl
        except ImportError:  # no such locks here: the worst is a file that is one entry behind
            yield
            return
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)


def _stem(place: str | os.PathLike[str]) -> Path:
    if not is_postgres(place):
        return Path(place)
    address = mask_password(str(place)).partition("://")[2]
    digest = hashlib.sha256(address.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Path(os.environ.get(FOLDER) or DATA_FOLDER) / digest


def _signature(head: Head) -> str:
    body, key = str(head).encode("utf-8", "replace"), os.environ.get(KEY, "").encode("utf-8", "surrogateescape")
    return hmac.new(key, body, hashlib.sha256).hexdigest() if key else hashlib.sha256(body).hexdigest()
