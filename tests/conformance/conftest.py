"""A place of each kind for a memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.memory import Memory

_numbers = itertools.count(1)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """Where a memory may live, and the workspace to use there."""
    workspace = f"w{next(_numbers)}"
    if request.param == "sqlite":
        return str(tmp_path / "memory"), workspace
    return request.getfixturevalue("postgres_server").get_uri(), workspace


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
