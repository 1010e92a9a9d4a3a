"""Table rows are claims that can be read without their table."""

from assay.claims import extract_claims, locate
from assay.types import Span

PLANS = "| Plan | Price | SSO |\n|:--|--:|---|\n| Basic | $19 | – |\n| **Pro** | $49 [1] | ✓ |"


def claims(answer: str) -> list[str]:
    return [claim.text for claim in extract_claims(answer) if claim.checkable]


def test_each_cell_has_the_name_of_its_column() -> None:
    assert claims(PLANS) == ["Plan: Basic; Price: $19; SSO: –", "Plan: Pro; Price: $49; SSO: ✓"]


def test_the_span_of_a_row_is_the_row() -> None:
    basic = extract_claims(PLANS)[1]
    assert basic.span.of(PLANS) == "| Basic | $19 | – |"


def test_a_cell_is_found_in_the_answer_and_the_name_of_its_column_is_not() -> None:
    pro = extract_claims(PLANS)[2]
    (place,) = locate(pro, Span(pro.text.index("$49"), pro.text.index("$49") + 3))
    assert (place.of(PLANS), place.start) == ("$49", PLANS.index("$49"))
    assert locate(pro, Span(0, 4)) == ()


def test_a_column_without_a_name_is_read_alone() -> None:
    assert claims("| | Basic | Pro |\n|---|---|---|\n| Price | $19 | $49 |") == ["Price; Basic: $19; Pro: $49"]


def test_a_table_without_a_header_and_a_row_with_other_cells_are_read_as_they_are() -> None:
    assert claims("| a | b |\n| c | d |") == ["a; b", "c; d"]
    assert claims("| A |\n|---|\n| b | c |") == ["A: b; c"]


def test_an_escaped_bar_is_no_edge_of_a_cell() -> None:
    assert claims("| A | B |\n|---|---|\n| x \\| y | z |") == ["A: x | y; B: z"]


def test_an_empty_row_is_no_claim() -> None:
    assert claims("| A | B |\n|---|---|\n| – | |") == []


def test_the_heading_over_a_table_is_the_context_of_its_rows() -> None:
    assert extract_claims("## Hours\n| Day | Open |\n|---|---|\n| Mon | 9–5 |")[2].context == "Hours"
