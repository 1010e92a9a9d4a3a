"""One size of the verifier as a tier of the cascade."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from assay.policy import Policy
from assay.types import Passage, Verdict

if TYPE_CHECKING:
    from assay.encoder.scores import Scores
    from assay.encoder.verifier import Opinion, Verifier


class ModelTier:
    """A verifier that is loaded when the first claim comes and then shared by all threads."""

    def __init__(self, size: str | Path, policy: Policy) -> None:
        self.name = Path(size).name
        self.policy = policy
        self._size = size
        self._verifier: Verifier | None = None
        self._lock = Lock()

    @cached_property
    def model(self) -> str:
        """What identifies the weights, from the manifest alone: nothing is loaded for it."""
        from assay.encoder.bundle import find_bundle
        from assay.errors import AssayError
        from assay.types import sha256_of

        try:
            manifest = find_bundle(self._size) / "manifest.json"
            return sha256_of(manifest.read_bytes().decode("utf-8", "replace"))
        except (AssayError, OSError):
            return "missing"

    @property
    def verifier(self) -> Verifier:
        """The model, loaded once."""
        with self._lock:
            if self._verifier is None:
                from assay.encoder.verifier import Verifier

                self._verifier = Verifier.load(self._size, self.policy.threads)
            return self._verifier

    def load(self) -> None:
        """Makes the model ready."""
        assert self.verifier

    def judge(self, cases: Sequence[tuple[str, Sequence[Passage]]], question: str | None) -> list[Opinion]:
        """An opinion on each claim from its own passages."""
        return self.verifier.judge(cases, question)

    def decide(self, scores: Scores) -> tuple[Verdict, float]:
        """The verdict these probabilities earn, and its probability."""
        verdict, probability = self.verifier.decide(scores)
        if verdict is Verdict.REFUTED and probability < self.policy.refute_probability:
            return Verdict.INSUFFICIENT, 1.0 - probability
        return verdict, probability
