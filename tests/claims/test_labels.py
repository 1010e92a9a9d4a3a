"""Lines that need the words above them get them; sentences keep their own text."""

import pytest

from assay.claims import extract_claims


def claims(answer: str) -> list[str]:
    return [claim.text for claim in extract_claims(answer) if claim.checkable]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("## Pro plan\n- $49 per month", ["Pro plan: $49 per month"]),
        ("## Price\n\n$49 per month.", ["Price: $49 per month."]),
        ("### 1. Pro plan\n- $49", ["Pro plan: $49"]),
        ("## What does Pro cost?\n- $49", ["What does Pro cost? $49"]),
        ("**Pro plan**\n- $49\n\n**Basic plan**\n- $19", ["Pro plan: $49", "Basic plan: $19"]),
        ("**Pro plan**\n$49 per month\n**Basic plan**\n$19", ["Pro plan: $49 per month", "Basic plan: $19"]),
        ("## Orvex\n### Side effects\n- headache", ["Orvex: Side effects: headache"]),
        ("## Plans\n### Pro plan\n- $49", ["Pro plan: $49"]),
    ],
)
def test_a_heading_is_carried_into_a_line_without_a_subject(answer: str, expected: list[str]) -> None:
    assert claims(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Side effects of Orvex:\n- headache\n- nausea", ["headache", "nausea"]),
        ("Side effects of Orvex\n\n- headache", ["headache"]),
        ("Side effects of Orvex:\nheadache", ["headache"]),
    ],
)
def test_an_introduction_is_carried_into_its_bullets(answer: str, expected: list[str]) -> None:
    assert claims(answer) == [f"Side effects of Orvex: {text}" for text in expected]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The Pro plan includes:\n1. 10 GB", ["The Pro plan includes: 10 GB"]),
        ("Here are the side effects of Orvex:\n- headache", ["The side effects of Orvex: headache"]),
        ("To reset the router:\n1. Unplug it.", ["To reset the router: Unplug it."]),
        ("## Orvex\nSide effects:\n- headache", ["Orvex: Side effects: headache"]),
    ],
)
def test_a_sentence_that_introduces_is_carried_as_it_reads(answer: str, expected: list[str]) -> None:
    assert claims(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("- Pro plan\n  - $49\n  - 10 seats\n- Basic\n  - $19", ["Pro plan: $49", "Pro plan: 10 seats", "Basic: $19"]),
        ("1. **Pro plan**\n   - $49 per month", ["Pro plan: $49 per month"]),
        ("Limits:\n- Storage\n  - Pro\n    - 10 GB", ["Limits: Storage: Pro: 10 GB"]),
        ("- **Pro**: $49\n  - 10 seats", ["Pro: $49", "Pro: 10 seats"]),
    ],
)
def test_a_parent_bullet_is_carried_into_those_below_it(answer: str, expected: list[str]) -> None:
    assert claims(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("**Leave** – first year: unpaid only", ["Leave – first year: unpaid only"]),
        ("- **Price:** $49. Billed yearly.", ["Price: $49.", "Price: Billed yearly."]),
        ("**Leave** – unpaid only. Second year: half pay.", ["Leave – unpaid only.", "Leave: Second year: half pay."]),
        ("Price: $49\nSeats: 10\nSupport: email", ["Price: $49", "Seats: 10", "Support: email"]),
        ("**Price:** $49\n**Seats:** 10", ["Price: $49", "Seats: 10"]),
    ],
)
def test_a_label_in_the_line_itself_stays(answer: str, expected: list[str]) -> None:
    assert claims(answer) == expected


def test_a_bullet_with_a_subject_keeps_its_text_and_has_the_heading_as_context() -> None:
    answer = "## Pro plan\n- The plan costs $49.\n- **Support**: The team answers within 24 hours."
    found = [(claim.text, claim.context) for claim in extract_claims(answer) if claim.checkable]
    assert found == [
        ("The plan costs $49.", "Pro plan"),
        ("Support: The team answers within 24 hours.", "Pro plan"),
    ]


def test_a_sentence_above_a_bullet_is_its_context() -> None:
    answer = "- The Pro plan is popular.\n  - 10 seats"
    assert [(claim.text, claim.context) for claim in extract_claims(answer)] == [
        ("The Pro plan is popular.", ""),
        ("10 seats", "The Pro plan is popular."),
    ]


@pytest.mark.parametrize("heading", ["Summary", "Key points", "Steps", "Final answer"])
def test_a_heading_that_says_nothing_is_not_carried(heading: str) -> None:
    assert claims(f"## {heading}\n- $49 per month") == ["$49 per month"]


@pytest.mark.parametrize(
    "answer",
    [
        "**Key points**\n\nIt rains.",
        "Summary:\nIt rains.",
        "**Summary:**\n\nIt rains.",
        "__Notes__\nIt rains.",
        "# A\nIt rains.",
    ],
)
def test_a_bare_heading_or_label_is_no_claim(answer: str) -> None:
    heading, claim = extract_claims(answer)
    assert (heading.checkable, heading.reason) == (False, "heading")
    assert claim.text == "It rains."


@pytest.mark.parametrize(
    "answer", ["**Paris**", "Sure!\n\n**Paris**", "**Total: $49**\n\nIt is due.", "**The fee is $30.**\n\nIt is due."]
)
def test_a_line_in_bold_that_says_something_is_a_claim(answer: str) -> None:
    assert claims(answer)[0] in ("Paris", "Total: $49", "The fee is $30.")


def test_headings_end_with_the_next_heading() -> None:
    assert claims("## Pro\n- $49\n\n## Basic\n- $19") == ["Pro: $49", "Basic: $19"]


def test_prose_ends_an_introduction() -> None:
    assert claims("Plans:\n- Pro\n\nThe offer is new.\n\n- $49") == ["Plans: Pro", "The offer is new.", "$49"]
