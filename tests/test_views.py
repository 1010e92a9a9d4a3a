import pytest

from assay import views
from assay.types import AuditMode, Claim, Finding, Importance, Judgement, Report, Span, Support, Verdict
from assay.views import GapType, LedgerVerdict, RagVerdict


def finding(
    verdict, support=Support.NONE, confidence=0.9, importance=Importance.CRITICAL, method="span", violations=()
):
    judgement = Judgement(verdict, confidence, method, support=support, violations=violations)
    return Finding(Claim("x", (Span(0, 1),), importance=importance), judgement)


def supported(confidence=0.9, **more):
    return finding(Verdict.SUPPORTED, Support.FULL, confidence, **more)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (supported(0.81), LedgerVerdict.SUPPORTED),
        (supported(0.8), LedgerVerdict.WEAK),
        (supported(0.5), LedgerVerdict.WEAK),
        (supported(0.49), LedgerVerdict.WEAK),  # the report calls it SUPPORTED: the ledger must not say "not found"
        (finding(Verdict.SUPPORTED), LedgerVerdict.WEAK),
        (finding(Verdict.INSUFFICIENT, Support.FULL), LedgerVerdict.NOT_FOUND),
        (finding(Verdict.INSUFFICIENT, Support.PARTIAL), LedgerVerdict.WEAK),
        (finding(Verdict.SUPPORTED, Support.PARTIAL), LedgerVerdict.WEAK),
        (finding(Verdict.REFUTED, Support.CONTRADICTED), LedgerVerdict.CONTRADICTED),
        (finding(Verdict.INSUFFICIENT), LedgerVerdict.NOT_FOUND),
        (finding(Verdict.NOT_CHECKABLE), None),
        (finding(Verdict.ERROR), None),
    ],
)
def test_the_ledger_view(found, expected):
    assert views.ledger_verdict(found) is expected


def test_the_rag_view():
    assert views.rag_verdict(supported()) is RagVerdict.SUPPORTED
    assert views.rag_verdict(finding(Verdict.INSUFFICIENT, Support.PARTIAL)) is RagVerdict.PARTIALLY_SUPPORTED
    assert views.rag_verdict(finding(Verdict.REFUTED, Support.CONTRADICTED)) is RagVerdict.UNSUPPORTED
    assert views.rag_verdict(finding(Verdict.ERROR)) is None


@pytest.mark.parametrize(
    ("confidence", "level"), [(0.9, "High"), (0.89, "Medium"), (0.7, "Medium"), (0.5, "Low"), (0.49, "Very Low")]
)
def test_confidence_levels(confidence, level):
    assert views.confidence_level(confidence) == level


@pytest.mark.parametrize(
    ("found", "gap"),
    [
        (supported(), None),
        (finding(Verdict.INSUFFICIENT), GapType.UNSUPPORTED),
        (finding(Verdict.INSUFFICIENT, Support.PARTIAL), GapType.PARTIAL_SUPPORT),
        (finding(Verdict.REFUTED), GapType.CONTRADICTED),
        (supported(violations=("phantom_citation",)), GapType.PHANTOM_CITATION),
        (supported(violations=("evidence_independent",)), GapType.EVIDENCE_INDEPENDENT),
        (finding(Verdict.INSUFFICIENT, violations=("over_extrapolation",)), GapType.OVER_EXTRAPOLATION),
    ],
)
def test_epistemic_gaps(found, gap):
    assert views.gap_type(found) is gap


def test_audit_modes():
    good, bad, aside = supported(), finding(Verdict.INSUFFICIENT), finding(Verdict.NOT_CHECKABLE)
    assert views.audit_mode((good, aside)) is AuditMode.STRICT
    assert views.audit_mode((good, bad)) is AuditMode.HYBRID
    assert views.audit_mode((bad, aside)) is AuditMode.UNGROUNDED
    assert views.audit_mode((aside,)) is AuditMode.UNGROUNDED
    assert views.audit_mode((good, finding(Verdict.ERROR))) is AuditMode.HYBRID


def test_coverage_counts_only_what_is_not_minor():
    minor = finding(Verdict.INSUFFICIENT, importance=Importance.MINOR)
    report = Report("x", (supported(), supported(0.6), finding(Verdict.INSUFFICIENT), minor))
    assert report.coverage == pytest.approx(2 / 3)
    assert report.unsupported_rate == pytest.approx(1 / 3)
    assert Report("x", (minor,)).coverage is None


def test_an_answer_with_nothing_to_check_is_neither_grounded_nor_not():
    assert views.is_grounded(Report("x", (finding(Verdict.NOT_CHECKABLE),))) is None
    assert views.is_grounded(Report("x", (supported(),))) is True
    assert views.is_grounded(Report("x", (supported(), finding(Verdict.ERROR)))) is False


def test_rungs():
    assert views.rung(Report("x", (finding(Verdict.INSUFFICIENT),))) == "UNGROUNDED"
    strict = Report("x", (supported(method="encoder-small"),), audit_mode=AuditMode.STRICT)
    assert views.rung(strict) == "ENTAILMENT-VERIFIED"
    half = Report("x", (supported(method="paraphrase"),), audit_mode=AuditMode.HYBRID)
    assert views.rung(half) == "EVIDENCE-WARRANTED-PARTIAL"
