import re
from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console

from assay.render.terminal import render_rich, render_terminal
from assay.types import Claim, Finding, Judgement, Report, Span, Verdict


def draw(report: Report, width: int, *, colour: bool = False) -> str:
    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        highlight=False,
    )
    with console.capture() as shown:
        console.print(render_terminal(report))
    return shown.get()


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_no_line_is_wider_than_the_terminal(report: Report, width: int) -> None:
    assert max(cell_len(line) for line in draw(report, width).splitlines()) <= width


def test_claims_are_marked_where_they_stand(report: Report) -> None:
    shown = draw(report, 200)
    assert "China and Nepal” ✓¹, and it stands 8,611 metres" in shown
    assert "above the sea ✗²." in " ".join(shown.split())


def test_a_mark_stays_on_the_line_of_its_claim(report: Report) -> None:
    for width in range(30, 100):
        assert not any(line.strip().startswith(("✓¹", "✗²", "✓³")) for line in draw(report, width).splitlines())


def test_problems_come_before_what_is_backed(report: Report) -> None:
    shown = draw(report, 80)
    assert shown.index("✗ 2  contradicted") < shown.index("? 4  not confirmed") < shown.index("! 6  error")
    assert shown.index("! 6  error") < shown.index("✓ 1  supported")


def test_the_decisive_number_stands_out_in_answer_and_source(report: Report) -> None:
    shown = draw(report, 80, colour=True)
    reversed_words = re.findall(r"\x1b\[[\d;]*\b7\b[\d;]*m([^\x1b]*)", shown)
    assert reversed_words == ["8,611", "8,849"]


def test_colour_only_where_there_is_a_terminal(report: Report) -> None:
    assert "\x1b" in draw(report, 80, colour=True)
    assert "\x1b" not in draw(report, 80)
    assert "\x1b" not in render_rich(report)


def test_markup_in_the_answer_is_shown_not_obeyed() -> None:
    answer = "[bold red]hot[/] :smile: \x1b[31mx"
    finding = Finding(Claim(answer, (Span(0, len(answer)),)), Judgement(Verdict.INSUFFICIENT, 0.5, "[i]m"))
    assert "[bold red]hot[/] :smile: ␛[31mx" in draw(Report(answer, (finding,)), 80)
