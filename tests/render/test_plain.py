from dataclasses import replace

from assay.render.plain import render_plain
from assay.types import Report


def test_the_first_line_says_what_was_found_of_how_many(report: Report) -> None:
    assert render_plain(report).splitlines()[0] == (
        "contradicted · 5 scored (3 supported, 1 contradicted, 1 not confirmed), 1 not checkable, 1 error"
        " · confidence 0.91"
    )


def test_each_claim_has_its_mark(report: Report) -> None:
    marks = [line[0] for line in render_plain(report).splitlines() if line[1:2] == " " and line[2:3].isdigit()]
    assert marks == ["✓", "✗", "✓", "?", "✓", "!", "·"]


def test_a_receipt_names_both_sides(report: Report) -> None:
    quote = "Its elevation of 8,849 metres (29,032 ft) was most recently established in 2020"
    assert f'answer 64–100 ← everest.md 188–267 "{quote}"' in render_plain(report)


def test_faults_and_flags_are_told(report: Report) -> None:
    shown = render_plain(report)
    assert "faults: phantom citation" in shown
    assert "[high] phantom citation: The answer cites [7]" in shown


def test_an_answer_with_nothing_to_check_has_no_confidence() -> None:
    assert render_plain(Report("", ())) == (
        "not checkable · 0 scored (0 supported, 0 contradicted, 0 not confirmed), 0 not checkable, 0 errors"
        " · confidence n/a"
    )


def test_a_skipped_answer_says_why(report: Report) -> None:
    assert render_plain(replace(report, findings=(), skipped="too short")).startswith("skipped: too short")


def test_certainty_is_never_rounded_up(report: Report) -> None:
    assert "supported 0.99: The sentence stands" in render_plain(report)  # 0.999
