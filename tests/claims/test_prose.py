"""Marks, links and formulas are read and not quoted."""

import pytest

from assay.claims import extract_claims


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("It rose in **2020**.", "It rose in 2020."),
        ("It rose in *May* and ***June***.", "It rose in May and June."),
        ("__The mill__ is ~~not~~ old.", "The mill is not old."),
        ("The `sorted` function is fast.", "The sorted function is fast."),
        ("Mount Everest is $8849$ m high.", "Mount Everest is 8849 m high."),
        (r"It rose by $\approx 5\%$.", "It rose by ≈ 5%."),
        (r"Water boils at \(100\,^{\circ}\text{C}\).", "Water boils at 100 °C."),
        ("Read [the guide](https://x.y/z) first.", "Read the guide first."),
        ("R&amp;D costs $5.", "R&D costs $5."),
        ("The **fee is $30**\nper year.", "The fee is $30 per year."),
        ("2*3*4 is 24 and snake_case_name is one word.", "2*3*4 is 24 and snake_case_name is one word."),
        ("Prices are $5 and $10.", "Prices are $5 and $10."),
    ],
)
def test_the_text_is_plain_and_the_span_is_the_answers(answer: str, text: str) -> None:
    (claim,) = extract_claims(answer)
    assert claim.text == text
    assert claim.span.of(answer) == answer


@pytest.mark.parametrize(
    "answer",
    [
        "The fee is $30 ([source](https://x.y)).",
        "The fee is $30 [source](https://x.y).",
        "The fee is $30. [Reuters](https://x.y)",
        "The fee is $30. ([Reuters](https://x.y))",
        "The fee is $30 ([Reuters](https://x.y), [1]).",
        "The fee is $30 (see [the guide](https://x.y)).",
        "The fee is $30.\n\n[Reuters](https://x.y)",
        "The fee is $30 [1](https://x.y).",
    ],
)
def test_a_link_behind_a_statement_is_a_citation_and_no_part_of_the_text(answer: str) -> None:
    claim = extract_claims(answer)[0]
    assert claim.text == "The fee is $30."
    assert claim.citations[0].targets == ("https://x.y",)
    assert not any(claim.checkable for claim in extract_claims(answer)[1:])


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("The [source](https://x.y) says so.", "The source says so."),
        ("The limit is [18](https://x.y).", "The limit is 18."),
        ("Take it ([ibuprofen](https://x.y)) daily.", "Take it (ibuprofen) daily."),
        ("It rose. [Reuters](https://x.y) is sure.", "It rose."),
    ],
)
def test_a_link_in_a_statement_is_its_words(answer: str, text: str) -> None:
    assert extract_claims(answer)[0].text == text


@pytest.mark.parametrize("answer", ["It rose ([1], [2]).", "It rose (see [1]).", "It rose [1] [2].", "It rose.[1][2]"])
def test_anchors_leave_no_brackets_behind(answer: str) -> None:
    assert extract_claims(answer)[0].text == "It rose."


@pytest.mark.parametrize("line", ["[1]: https://x.y", "[^1]: WHO report, 2020.", "Sources: [1], [2]"])
def test_what_anchors_stand_for_is_no_claim(line: str) -> None:
    assert [claim.text for claim in extract_claims(f"It rose.\n\n{line}") if claim.checkable] == ["It rose."]
