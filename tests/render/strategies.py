"""Reports of any shape over any text, with receipts that hold."""

from hypothesis import strategies as st

from assay.types import (
    Action,
    AuditMode,
    Claim,
    Document,
    Evidence,
    Finding,
    Importance,
    Judgement,
    Report,
    RiskFlag,
    Span,
    Stance,
    Support,
    Verdict,
)

NASTY = (
    "</script><script>alert(1)</script>",
    "<!--",
    "]]>",
    "[bold]x[/bold]",
    "[/]",
    "**b** _i_ `c` [l](http://x.y) ![i](u)",
    "# h\n- b\n1. n\n> q\n    code\n===\n",
    "| a | b |\n| - | - |",
    "\x1b[31mred\x1b]8;;http://x\x07",
    "\u202eelbat\u2066",
    "\ud800",
    "\udc00\ud83d",
    "\x00\x7f\x85\u2028",
    "a\r\nb\rc",
    "😀👩‍👩‍👧",
    "&amp;&lt;\"'",
    "{0} {{1}}",
    "8,611 metres",
    "مرحبا שלום",
)
TEXT = st.lists(
    st.one_of(st.sampled_from(NASTY), st.text(st.characters(), max_size=12), st.text(max_size=12)), max_size=6
).map("".join)


@st.composite
def spans(draw: st.DrawFn, length: int) -> Span:
    start, end = sorted((draw(st.integers(0, length)), draw(st.integers(0, length))))
    return Span(start, end)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    answer = draw(TEXT)
    documents = [Document(f"{n}{draw(TEXT)}", draw(TEXT), draw(TEXT)) for n in range(draw(st.integers(0, 2)))]

    def evidence() -> Evidence:
        document = draw(st.sampled_from(documents))
        place = draw(spans(len(document.text)))
        return Evidence.cite(document, place.start, place.end, stance=draw(st.sampled_from(Stance)))

    findings = []
    for _ in range(draw(st.integers(0, 4))):
        claim = Claim(
            text=draw(TEXT),
            spans=tuple(draw(st.lists(spans(len(answer)), max_size=3))),
            importance=draw(st.sampled_from(Importance)),
            reason=draw(TEXT),
            warnings=tuple(draw(st.lists(TEXT, max_size=1))),
        )
        judgement = Judgement(
            draw(st.sampled_from(Verdict)),
            draw(st.floats(0, 1)),
            draw(TEXT),
            draw(st.sampled_from(Support)),
            draw(TEXT),
            tuple(evidence() for _ in range(draw(st.integers(0, 2)) if documents else 0)),
            tuple(draw(st.lists(TEXT, max_size=2))),
            tuple(draw(st.lists(spans(len(answer)), max_size=2))),
        )
        findings.append(Finding(claim, judgement, draw(st.sampled_from(Action))))
    return Report(
        answer=answer,
        findings=tuple(findings),
        # A report that comes back from a store may have lost its documents.
        documents=tuple(documents) if draw(st.booleans()) else (),
        question=draw(st.none() | TEXT),
        skipped=draw(st.none() | TEXT),
        audit_mode=draw(st.sampled_from(AuditMode)),
        risk_flags=tuple(RiskFlag(draw(TEXT), draw(TEXT), draw(TEXT)) for _ in range(draw(st.integers(0, 1)))),
        warnings=tuple(draw(st.lists(TEXT, max_size=1))),
        model=draw(TEXT),
    )
