"""Languages the verifier does not read: only the very words of a source support a claim."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.judges import levels
from assay.judges.foreign import is_readable, judge_unread, language_flag
from assay.policy import Policy
from assay.types import Document, Passage, Stance, Verdict
from tests.judges.opinions import claim, passage, whole

POLICY = Policy()
RULES = Document("d", "Nicht gezeigt. Die Frist beträgt drei Monate. Der Antrag ist kostenlos.", title="Regeln")
ENGLISH = "The period is three months and the form is free."


@pytest.mark.parametrize(
    ("text", "passages", "readable"),
    [
        (ENGLISH, [passage(ENGLISH)], True),
        ("Die Frist ist nicht kurz.", [passage(ENGLISH)], False),
        (ENGLISH, [passage(ENGLISH), whole(RULES)], False),
        ("申请表是免费的。", [passage(ENGLISH)], False),
        ("Tokyo (東京) is the capital of Japan.", [passage(ENGLISH)], True),
        (ENGLISH, [], True),
    ],
)
def test_a_claim_is_readable_when_it_and_its_passages_are_english(
    text: str, passages: list[Passage], readable: bool
) -> None:
    assert is_readable(text, passages) is readable


@pytest.mark.parametrize(
    "same", ["Die Frist beträgt drei Monate.", "die Frist beträgt drei Monate", "Die Frist beträgt – drei – Monate!"]
)
def test_the_very_words_of_a_source_support_a_foreign_claim(same: str) -> None:
    start = RULES.text.index("Die Frist")
    found = judge_unread(claim(same), [Passage(RULES, start, len(RULES.text))], POLICY)
    assert (found.verdict, found.confidence, found.method) == (Verdict.SUPPORTED, levels.SPAN, "span")
    (quote,) = found.evidence
    assert (quote.quote, quote.stance) == ("Die Frist beträgt drei Monate.", Stance.SUPPORTS)
    assert quote.holds_in(RULES)


@pytest.mark.parametrize("other", ["Die Frist beträgt vier Monate.", "Die Frist beträgt drei", "…", "Nicht gezeigt."])
def test_other_words_settle_nothing(other: str) -> None:
    start = RULES.text.index("Die Frist")
    found = judge_unread(claim(other), [Passage(RULES, start, len(RULES.text)), passage("… !")], POLICY)
    assert (found.verdict, found.evidence) == (Verdict.INSUFFICIENT, ())
    assert "not in English" in found.explanation


def test_the_flag_counts_claims() -> None:
    assert language_flag(1).message.startswith("one claim is not in English")
    assert language_flag(3).message.startswith("3 claims are not in English")


def test_foreign_claims_are_flagged_on_the_report_and_never_refuted(folder: Path) -> None:
    from assay import check

    report = check(
        "Der Vertrag wird mit der Post verschickt und nicht per Mail.",
        ["Die Post ist da und der Vertrag ist unterwegs."],
        judge=str(folder),
    )
    assert [flag.kind for flag in report.risk_flags if flag.kind == "language_not_supported"]
    assert all(finding.verdict is Verdict.INSUFFICIENT for finding in report.findings)
