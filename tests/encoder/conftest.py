from __future__ import annotations

from pathlib import Path

import pytest

from assay.encoder import Verifier
from tests.encoder.tiny import make_folder


@pytest.fixture(scope="session", params=["bert", "mpnet"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny bundle of each kind of network; nobody may change it."""
    return make_folder(tmp_path_factory.mktemp("bundles") / request.param, request.param)


@pytest.fixture(scope="session")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Verifier:
    return Verifier.load(make_folder(tmp_path_factory.mktemp("verifier") / "tiny"), threads=1)
