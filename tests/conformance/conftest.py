"""A real PostgreSQL server for the session, and a place of each kind for a memory."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.memory import Memory

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres_address() -> Iterator[str]:
    import pgserver

    folder = Path(tempfile.mkdtemp(prefix="assay-pg-"))  # short: the socket's path has a limit of about 100 characters
    folder.chmod(0o755)
    server = pgserver.get_server(folder, cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """Where a memory may live, and the workspace to use there."""
    workspace = f"w{next(_numbers)}"
    if request.param == "sqlite":
        return str(tmp_path / "memory"), workspace
    return request.getfixturevalue("postgres_address"), workspace


@pytest.fixture
def open_memory(place: tuple[str, str]) -> Iterator[Callable[..., Memory]]:
    """Opens the memory under test; every one opened is closed at the end."""
    opened: list[Memory] = []

    def open_it(**options: object) -> Memory:
        options.setdefault("embedder", "static")
        options.setdefault("workspace", place[1])
        memory = Memory(place[0], **options)  # type: ignore[arg-type]
        opened.append(memory)
        return memory

    yield open_it
    for memory in opened:
        memory.close()
