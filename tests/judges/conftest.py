from __future__ import annotations

from pathlib import Path

import pytest

from tests.encoder.tiny import make_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A verifier with random weights."""
    return make_folder(tmp_path / "tiny")
