"""What holds for every answer, whatever it says."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.claims import extract_claims
from assay.text.words import words
from assay.types import Importance, Kind

REASONS = words(
    "question imperative opinion hypothetical connector acknowledgement meta refusal heading code wish disclaimer"
)
PARTS = st.sampled_from(
    [
        "Paris is in France",
        " and ",
        " but ",
        "; ",
        ", which is ",
        ", who was ",
        "Berlin was big",
        "won two prizes",
        ". ",
        "? ",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "# ",
        "| a | b |\n",
        "|---|---|\n",
        "```\n",
        "[1]",
        "[E1, E4]",
        "[cite:abcd1234]",
        "(Source: WHO)",
        "[link](http://x.y)",
        '"',
        "(",
        ")",
        "Based on the provided sources, ",
        "I think ",
        "Dr. ",
        "3.14",
        "İ",
        "e\u0301",
        "\ud800",
        "\xad",
        "\u200b",
        "w\u200bo\u200drd",
        "\u202enwot eht\u202c",
        "Bаts",
        "\x00",
        "。",
        "Sources:\n",
        " ",
        "However, ",
        "It ",
        "**",
        "*",
        "`",
        "$",
        "$8849$",
        "\\approx",
        "&amp;",
        "([source](http://x.y))",
        "  - ",
        "Price: ",
        "Side effects:\n",
        "**Key points**\n",
        "The mill opened in 1900",
        " and closed in 1950",
    ]
)
ANSWERS = st.one_of(st.text(), st.lists(PARTS, max_size=25).map("".join))
# What may lie outside every claim: white space, and the marks of lists, headings, tables and rules.
# A Hangul filler is a letter that is shown as a blank.
MARK = re.compile(r"[\s\-*+•‣◦▪●·–—#=_|>:.()\[\]0-9A-Za-z\u115f\u1160\u3164\uffa0]")


@settings(max_examples=200, deadline=None)
@given(ANSWERS, st.one_of(st.none(), st.text(max_size=30)))
def test_spans_lie_in_order_inside_the_answer_and_never_overlap(answer: str, question: str | None) -> None:
    claims = extract_claims(answer, question)
    spans = sorted(span for claim in claims for span in claim.spans)
    assert all(0 <= span.start < span.end <= len(answer) for span in spans)
    assert all(before.end <= after.start for before, after in pairwise(spans))
    assert [claim.span for claim in claims] == sorted(claim.span for claim in claims)
    assert all(list(claim.spans) == sorted(claim.spans) for claim in claims)


@settings(max_examples=200, deadline=None)
@given(ANSWERS)
@example("\xad²")
@example("Bats are n\u200bot\u00ad birds; \u200b²\u200b³.")
@example("\u202e.dne eht si sihT .sgniw evah staB")
def test_no_word_is_lost(answer: str) -> None:
    covered = set()
    for claim in extract_claims(answer):
        for span in claim.spans:
            covered.update(range(span.start, span.end))
    lost = "".join(char for at, char in enumerate(answer) if at not in covered and char.isalnum())
    # List numbers are the only letters and digits that are marks: "1.", "(iv)", "b)", "[x]".
    assert all(MARK.match(char) for char in lost)
    for match in re.finditer(r"[^\W_]{5,}", answer):
        assert covered.issuperset(range(*match.span())), match.group()


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abcdAB .,;!?\n'"))
def test_plain_prose_is_not_changed(answer: str) -> None:
    claims = extract_claims(answer)
    pieces: dict[int, int] = {}
    for claim in claims:
        pieces[claim.sentence_index] = pieces.get(claim.sentence_index, 0) + 1
    for claim in claims:
        if pieces[claim.sentence_index] == 1:
            assert claim.text.split() == claim.span.of(answer).split()


@settings(max_examples=100, deadline=None)
@given(ANSWERS)
def test_the_same_answer_has_the_same_claims(answer: str) -> None:
    assert extract_claims(answer) == extract_claims(answer)


@settings(max_examples=100, deadline=None)
@given(ANSWERS)
def test_what_is_not_checkable_says_why_and_nothing_else_does(answer: str) -> None:
    for claim in extract_claims(answer):
        assert claim.reason in ([""] if claim.checkable else REASONS)


@settings(max_examples=200, deadline=None)
@given(ANSWERS)
def test_every_citation_stands_in_the_answer(answer: str) -> None:
    for claim in extract_claims(answer):
        for citation in claim.citations:
            assert citation.span.of(answer) == citation.text
            assert citation.targets


SHAPES = {
    "quotes": '"' * 50_000,
    "brackets": "[" * 50_000,
    "parentheses": "(" * 50_000,
    "dots": "." * 50_000,
    "digits": "1" * 50_000,
    "letters": "a " * 25_000,
    "connectors": "and " * 50_000,
    "clauses": "it is a dog and " * 3_000,
    "semicolons": "it is x; " * 4_000,
    "asides": "Paris, which is " * 3_000,
    "words": "word " * 10_000,
    "marks": "- " * 25_000,
    "bullets": "- a\n" * 4_000,
    "lines": "\n" * 50_000,
    "spaces": "a" + " " * 50_000 + "b",
    "anchors": "[1]" * 3_000,
    "anchor lines": "[1]\n\n" * 4_000,
    "links": "[a](" * 50_000,
    "stops": "A. " * 6_000,
    "bold": "**it** is a dog and " * 3_000,
    "formulas": "$x$ is $\\approx$ " * 3_000,
    "dollars": "$" * 50_000,
    "rows": "| a | b |\n|---|---|\n" + "| **c** | $5 |\n" * 3_000,
    "wide rows": "| " + "a | " * 20_000 + "\n|---|\n" + "| b | c |\n" * 3_000,
    "nested bullets": "".join("  " * depth + "- level\n" for depth in range(200)),
    "a long heading": "# " + "word " * 5_000 + "\n" + "- $5\n" * 3_000,
    "labels": "Price: $5\n" * 4_000,
    "links in brackets": "([a](" * 10_000,
    "conditions": "it is x if " * 4_000,
    "frames": "Yes, " * 10_000,
    "repeats": "Paris is big. " * 3_000,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_long_answer_of_any_shape_is_read_once(shape: str) -> None:
    answer = SHAPES[shape]
    covered = sum(len(span) for claim in extract_claims(answer, "Where is it?") for span in claim.spans)
    assert covered <= len(answer)


def test_an_empty_answer_has_no_claims() -> None:
    assert extract_claims("") == []
    assert extract_claims(" \n\t ") == []


def test_a_claim_too_long_for_the_encoder_is_cut_with_a_warning() -> None:
    clause = "the committee of the northern region met in the old town hall on a cold morning, "
    answer = "In the first year " + clause * 40 + "in 1990."
    claims = extract_claims(answer)
    assert len(claims) > 1
    assert all("limit 256" in claim.warnings[0] for claim in claims)
    assert " ".join(span.of(answer) for claim in claims for span in claim.spans).split() == answer.split()
    assert all(claim.text.endswith((",", ".")) for claim in claims)


def test_an_anchor_on_the_next_line_belongs_to_the_claim_and_one_far_off_does_not() -> None:
    assert extract_claims("The dam is old.\n\n   [E7]")[0].citations[0].targets == ("E7",)
    assert extract_claims("The dam is old." + " " * 30 + "[E7]")[0].citations == ()


def test_kind_and_importance_are_the_values_of_the_core() -> None:
    (claim,) = extract_claims("The tower is 330 m high.")
    assert (claim.kind, claim.importance) == (Kind.NUMERIC, Importance.CRITICAL)


def test_a_carried_subject_is_not_part_of_the_span() -> None:
    answer = "Marie Curie was born in Warsaw and won two Nobel Prizes."
    first, second = extract_claims(answer)
    assert first.span.of(answer) == "Marie Curie was born in Warsaw"
    assert second.span.of(answer) == "and won two Nobel Prizes."


def test_the_framing_is_not_part_of_the_claims_span() -> None:
    answer = "Based on the provided sources, Paris is the capital of France."
    framing, claim = extract_claims(answer)
    assert framing.span.of(answer) == "Based on the provided sources,"
    assert claim.span.of(answer) == claim.text == "Paris is the capital of France."


@pytest.mark.parametrize("answer", ["Based on the provided source [cite:1abcd]", "BASED ON THE PROVIDED SOURCE [0,0]"])
def test_an_anchor_behind_a_frame_is_not_lost(answer: str) -> None:
    (frame,) = extract_claims(answer)
    assert frame.reason == "meta"
    assert frame.span.of(answer) == answer


def test_an_anchor_at_the_head_of_a_line_leaves_no_gap_before_the_full_stop() -> None:
    claims = extract_claims("The figure was announced on 8 December 2020\n[1]. It stands.")
    assert [claim.text for claim in claims] == ["The figure was announced on 8 December 2020.", "It stands."]
    assert [claim.text for claim in extract_claims("It was announced\n[1] in 2020.")] == ["It was announced in 2020."]


FACT = "The bridge was opened in 1955"


@pytest.mark.parametrize(
    "answer",
    [
        f"# {FACT}\n\nIt is a bridge.",
        f"{FACT}\n=====\n\nIt is a bridge.",
        f"### {FACT}.",
        f"| {FACT} | Notes |\n|---|---|\n| long | wide |",
        f"It is long.\n\n## References\n\n{FACT}.",
        f"It is long.\n\n**Sources:**\n1. {FACT}.\n2. https://example.org",
        f"It is long.\n\nReferences\n[1] {FACT}",
        f"Sources: {FACT}.",
        f"Here is the fact: {FACT}.",
        f"Let me tell you that {FACT.lower()}.",
        f"I cannot say for sure, but {FACT.lower()}.",
        f"I'm not certain, but {FACT.lower()}.",
        f"I could not verify this, however {FACT.lower()}.",
        f"Don't quote me on this, but {FACT.lower()}.",
        f"As far as I know, {FACT.lower()}.",
        f"If memory serves, {FACT.lower()}.",
    ],
)
def test_a_fact_is_checked_wherever_a_reader_sees_it(answer):
    found = [claim for claim in extract_claims(answer) if claim.checkable]
    assert any(FACT.lower() in claim.text.lower() for claim in found), found
    assert all(claim.span.of(answer).strip() for claim in found)


@pytest.mark.parametrize(
    "answer",
    [
        "## Overview",
        "## How it works",
        "## Why the bridge was built",
        "## Step 3: Install the package",
        "## Results 2023",
        "## Top 10 tips",
        "## References\n\n- https://example.org/bridge\n- Bridge guide, page 3\n- How the bridge was built",
        "References:\n1. Smith, J. (2020). The bridge was a failure. Journal of Bridges 3, 4-9.",
        "Sources\n- “The bridge was a failure”, Daily News\n- [The bridge was closed](https://example.org)",
        "Sources: Bridge guide, page 3",
        "I don't know exactly, but I think it was late.",
        "I could not find that, but let me know if you need more.",
    ],
)
def test_titles_and_references_are_not_claims(answer):
    assert [claim.text for claim in extract_claims(answer) if claim.checkable] == []


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        (
            "**Leave:** The first year is unpaid, but the second year is paid.",
            ["Leave: The first year is unpaid", "Leave: the second year is paid"],
        ),
        (
            "Refunds: Customers may return items within 30 days and will receive a full refund.",
            ["Refunds: Customers may return items within 30 days", "Refunds: Customers will receive a full refund"],
        ),
        (
            "Important: the office is closed on Sunday and the garage is open.",
            ["the office is closed on Sunday", "the garage is open"],
        ),
    ],
)
def test_a_label_holds_for_every_part_of_its_line(line: str, texts: list[str]) -> None:
    assert [claim.text for claim in extract_claims(line) if claim.checkable] == texts
