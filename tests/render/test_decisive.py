import pytest
from hypothesis import given

from assay.lexical.decisive import find_decisive
from assay.render.marks import decisive_in_answer
from assay.types import Citation, Claim, Document, Evidence, Finding, Judgement, Report, Span, Stance, Verdict
from tests.render.strategies import TEXT


@pytest.mark.parametrize(
    ("claim", "quote", "in_claim", "in_quote"),
    [
        ("It is 8,611 metres high.", "elevation of 8,849 metres (29,032 ft)", ["8,611"], ["8,849"]),
        ("It was climbed in 1954.", "the ascent on 29 May 1953", ["1954"], ["1953"]),
        ("8,849 metres", "8849 metres", [], []),
        ("The river Elbe flows through Dresden.", "The river Elbe flows through Hamburg.", ["Dresden"], ["Hamburg"]),
        ("Cats purr loudly.", "An entirely different statement about trade law.", [], []),
    ],
)
def test_the_differing_words_are_found_on_both_sides(
    claim: str, quote: str, in_claim: list[str], in_quote: list[str]
) -> None:
    found = find_decisive(claim, quote)
    assert [span.of(claim) for span in found.claim] == in_claim
    assert [span.of(quote) for span in found.quote] == in_quote


def test_the_answer_shows_what_each_finding_turns_on(report: Report) -> None:
    assert [span.of(report.answer) for span in decisive_in_answer(report)] == ["8,611", "golden shrine", "1961"]


@given(TEXT, TEXT)
def test_spans_lie_inside_their_texts(claim: str, quote: str) -> None:
    found = find_decisive(claim, quote)
    assert all(span.of(claim) for span in found.claim)
    assert all(span.of(quote) for span in found.quote)


def test_the_number_of_an_anchor_decides_nothing():
    answer = "Bottled oxygen removes the danger [3]."
    source = Document("air", "Bottled oxygen does not remove the danger: it feels 900 m lower.")
    claim = Claim(answer[:-5], (Span(0, len(answer)),), citations=(Citation("[3]", Span(34, 37), "number", ("3",)),))
    refuting = Evidence.cite(source, 0, len(source.text), stance=Stance.REFUTES)
    judgement = Judgement(Verdict.REFUTED, 0.8, "negation", evidence=(refuting,))
    marked = decisive_in_answer(Report(answer, (Finding(claim, judgement),), (source,)))
    assert not any(span.overlaps(Span(34, 37)) for span in marked)
