from __future__ import annotations

import json

from typer.testing import CliRunner

from assay.cli.app import app
from assay.engine import Engine
from assay.epistemic import Checker, EpistemicConfig
from assay.evaluation.false_flags import FlagFigures, measure_flags
from assay.evaluation.written import LabelledClaim, WrittenBlock
from assay.types import Document, Judgement, Verdict

SOURCE = "The mill opened in 1900. The mill has 40 workers. The mill stands by the river. It burnt down in 1931."
TRUE = ["The mill opened in 1900.", "The mill has 40 workers.", "The mill stands by the river.", "It was made of gold."]
FALSE = ["The mill opened in 1910.", "The mill has 400 workers.", "The mill stands by the river.", "It burnt in 1913."]


def block() -> WrittenBlock:
    claims = [LabelledClaim(text, Verdict.SUPPORTED, "fact", None) for text in TRUE]
    claims += [LabelledClaim(text, Verdict.REFUTED, "fact", None) for text in FALSE]
    return WrittenBlock("b", "first", "", (Document("mill", SOURCE),), tuple(claims))


def test_every_claim_is_scored_and_false_flags_are_told_by_their_reason() -> None:
    judged = measure_flags(Checker(engine=Engine(judge="lexical"), config=EpistemicConfig(skip_chars=0)), [block()])
    figures = FlagFigures.of(judged)
    assert (figures.faithful, figures.wrong, figures.not_checked) == (4, 4, 0)
    assert figures.false_flags.value == 0.25  # "made of gold" is labelled wrongly here, and flagged
    assert figures.found.value == 0.75  # and one of the wrong ones is none
    assert sum(figures.reasons.values()) == 1
    assert "25.0%" in figures.to_text()


class Unsure:
    """Leaves everything open, and takes it to be supported with a probability of 0.4."""

    name = "unsure"

    def judge(self, claims, passages, question=None):
        return [Judgement(Verdict.INSUFFICIENT, 0.6, "unsure", support_probability=0.4) for _ in claims]


def test_doubtful_claims_are_counted_apart() -> None:
    figures = FlagFigures.of(
        measure_flags(Checker(engine=Engine(judge=Unsure()), config=EpistemicConfig(skip_chars=0)), [block()])
    )
    assert (figures.false_flags.value, figures.found.value) == (0.0, 0.0)
    assert (figures.doubted.value, figures.wrong_doubted.value) == (1.0, 1.0)


def test_the_command_measures_the_written_set() -> None:
    words = ["eval", "written", "--mode", "epistemic", "--judge", "lexical", "--limit", "1", "--format", "json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["judge"], found["blocks"], found["target"]) == ("lexical", 1, 0.05)
    assert found["faithful"] > 0
    assert 0 <= found["false_flags"]["value"] <= 1
