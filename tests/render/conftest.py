"""A report made by hand: one claim of every kind of outcome about one mountain."""

import pytest

from assay.types import (
    Action,
    AuditMode,
    Citation,
    Claim,
    Document,
    Evidence,
    Finding,
    Importance,
    Judgement,
    Kind,
    Mark,
    Report,
    RiskFlag,
    Span,
    Stance,
    Support,
    Verdict,
)

EVEREST = Document(
    id="everest.md",
    title="Mount Everest",
    headings=(Mark(0, "Mount Everest"), Mark(343, "Mount Everest › Ascents")),
    text=(
        "Mount Everest is Earth's highest mountain above sea level. It lies in the Mahalangur Himal sub-range of the "
        "Himalayas, and the border between China and Nepal runs across its summit point. Its elevation of 8,849 metres "
        "(29,032 ft) was most recently established in 2020 by the Chinese and Nepali authorities.\n\n"
        "The mountain attracts many climbers, including highly experienced mountaineers.\n\n"
        "## Ascents\n\n"
        "Edmund Hillary and Tenzing Norgay made the first documented ascent on 29 May 1953, using the southeast ridge "
        "route from Nepal. Norgay had reached 8,595 m the previous year as a member of the 1952 Swiss expedition. "
        "As of May 2024, 340 people have died on Everest; over 200 bodies remain on the mountain.\n"
    ),
)
CLIMATE = Document(
    id="climate.md",
    title="Weather at the summit",
    text=(
        "In January the mean temperature at the summit is −36 °C and can drop to −60 °C. In July, the warmest month, "
        "it averages −19 °C. At no time of the year does the temperature rise above freezing.\n"
    ),
)
ANSWER = (
    "Mount Everest lies on “the border between China and Nepal”, and it stands 8,611 metres above the sea. "
    "Edmund Hillary and Tenzing Norgay made the first documented ascent on 29 May 1953. "
    "A golden shrine was built on its summit by the Swiss in 1961 [7]. "
    "In July the summit averages −19 °C, and in every month it stays below freezing.\n\n"
    "Would you like to know more about the routes?"
)


def span_of(words: str, text: str = ANSWER) -> Span:
    start = text.index(words)
    return Span(start, start + len(words))


def cite(document: Document, words: str, stance: Stance, similarity: float | None = None) -> Evidence:
    place = span_of(words, document.text)
    return Evidence.cite(document, place.start, place.end, stance=stance, similarity=similarity)


def find(words: str, judgement: Judgement, action: Action = Action.CONTINUE, **claim: object) -> Finding:
    defaults = {"text": words, "spans": (span_of(words),), "importance": Importance.MATERIAL}
    return Finding(Claim(**(defaults | claim)), judgement, action)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def report() -> Report:
    return make_report()


def make_report() -> Report:
    findings = (
        find(
            "Mount Everest lies on “the border between China and Nepal”",
            Judgement(
                Verdict.SUPPORTED,
                0.99,
                "quote",
                Support.FULL,
                "The quoted words stand in the source.",
                (
                    cite(
                        EVEREST,
                        "the border between China and Nepal runs across its summit point",
                        Stance.SUPPORTS,
                        0.93,
                    ),
                ),
            ),
        ),
        find(
            "it stands 8,611 metres above the sea",
            Judgement(
                Verdict.REFUTED,
                0.97,
                "numbers",
                Support.CONTRADICTED,
                "The answer says 8,611 metres; the source says 8,849 metres.",
                (
                    cite(
                        EVEREST,
                        "Its elevation of 8,849 metres (29,032 ft) was most recently established in 2020",
                        Stance.REFUTES,
                        0.88,
                    ),
                ),
            ),
            Action.BRANCH,
            text="Mount Everest stands 8,611 metres above the sea",
            kind=Kind.NUMERIC,
            importance=Importance.CRITICAL,
        ),
        find(
            "Edmund Hillary and Tenzing Norgay made the first documented ascent on 29 May 1953.",
            Judgement(
                Verdict.SUPPORTED,
                0.999,
                "span",
                Support.FULL,
                "The sentence stands in the source word for word.",
                (
                    cite(
                        EVEREST,
                        "Edmund Hillary and Tenzing Norgay made the first documented ascent on 29 May 1953",
                        Stance.SUPPORTS,
                        1.0,
                    ),
                ),
            ),
            kind=Kind.NUMERIC,
            importance=Importance.CRITICAL,
        ),
        find(
            "A golden shrine was built on its summit by the Swiss in 1961 [7].",
            Judgement(
                Verdict.INSUFFICIENT,
                0.91,
                "encoder-small",
                Support.NONE,
                "No source speaks of a shrine, and there is no source 7.",
                violations=("phantom_citation",),
                unsupported=(span_of("golden shrine"), span_of("1961")),
            ),
            Action.BRANCH,
            text="A golden shrine was built on its summit by the Swiss in 1961.",
            citations=(Citation("[7]", span_of("[7]"), "number", ("7",)),),
        ),
        find(
            "In July the summit averages −19 °C",
            Judgement(
                Verdict.SUPPORTED,
                0.94,
                "encoder-small",
                Support.FULL,
                "The source gives the same mean for July.",
                (cite(CLIMATE, "In July, the warmest month, it averages −19 °C", Stance.SUPPORTS, 0.9),),
            ),
            kind=Kind.NUMERIC,
        ),
        find(
            "in every month it stays below freezing",
            Judgement(Verdict.ERROR, 0.0, "encoder-small", Support.NONE, "The judge ran out of time after 100 ms."),
        ),
        find(
            "Would you like to know more about the routes?",
            Judgement(Verdict.NOT_CHECKABLE, 1.0, "rules", Support.NONE),
            checkable=False,
            reason="a question states nothing",
            importance=Importance.MINOR,
        ),
    )
    return Report(
        answer=ANSWER,
        findings=findings,
        documents=(EVEREST, CLIMATE),
        question="How high is Everest, and who climbed it first?",
        action=Action.BRANCH,
        audit_mode=AuditMode.HYBRID,
        risk_flags=(
            RiskFlag("phantom_citation", "high", "The answer cites [7], but only two sources were given."),
            RiskFlag("low_coverage", "medium", "Three of the five claims that matter are backed."),
        ),
        policy_sha256="ab" * 32,
        model="assay-small",
        timings_ms={"claims": 0.6, "evidence": 1.1, "judges": 41.2},
    )
