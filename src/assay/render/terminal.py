"""A report for a terminal, and the tables and verdicts that the ledger and the evaluation print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from assay.render import plain
from assay.render.escape import one_line, visible
from assay.render.marks import answer_segments, quote_segments
from assay.types import Evidence, Finding, Report, Verdict
from assay.views import quotes

COLOURS = {
    Verdict.SUPPORTED: "green",
    Verdict.REFUTED: "red",
    Verdict.INSUFFICIENT: "yellow",
    Verdict.NOT_CHECKABLE: "bright_black",
    Verdict.ERROR: "magenta",
}
# Underlines differ too, so that the marks hold without colour; a terminal without double ones falls back to one.
_WORDS = {
    Verdict.SUPPORTED: "underline",
    Verdict.REFUTED: "red underline underline2",
    Verdict.INSUFFICIENT: "yellow italic underline",
    Verdict.NOT_CHECKABLE: "dim",
    Verdict.ERROR: "magenta italic",
}
# The word on which a refutation turns stands out the same in the answer and in the source.
_DECISIVE = {Verdict.REFUTED: " bold reverse", Verdict.INSUFFICIENT: " bold", Verdict.ERROR: " bold"}
_MEASURE = 96  # wider lines are hard to read, however wide the terminal
_QUOTE_SHOWN = 280
_FINDINGS_SHOWN = 200  # of a section: nobody scrolls through more in a terminal
# Every white space may be wrapped at, and a mark must not part from its claim: this stands for a space until then.
_GLUE = "\ufdd0"


def plain_table(*headings: str, left: Sequence[int] = (0,)) -> Table:
    """A table without lines; the columns `left` are aligned to the left, the others to the right."""
    made = Table(box=None, pad_edge=False, header_style="dim")
    for number, heading in enumerate(headings):
        made.add_column(
            heading, justify="left" if number in left else "right", overflow="fold" if not number else "ellipsis"
        )
    return made


def verdict_text(verdict: str) -> Text:
    """A verdict as its symbol and word, coloured."""
    known = Verdict(verdict)
    return Text(f"{plain.STYLES[known].symbol} {plain.STYLES[known].word}", COLOURS[known])


class TerminalReport:
    """A report that draws itself at the width it is given."""

    def __init__(self, report: Report, width: int | None = None) -> None:
        self.report = report
        self.width = width

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = min(self.width or options.max_width, options.max_width)
        measure = max(min(room, _MEASURE + 4), 20)
        for piece in console.render(Group(*_blocks(self.report)), options.update(width=measure)):
            yield Segment(piece.text.replace(_GLUE, " "), piece.style, piece.control)


def render_terminal(report: Report, *, width: int | None = None) -> RenderableType:
    """The report as something rich can print, at most `width` columns wide."""
    return TerminalReport(report, width)


def render_rich(report: Report, *, width: int = 100) -> str:
    """What a terminal would show, as text without colour."""
    from io import StringIO

    console = Console(file=StringIO(), width=width, color_system=None, force_terminal=False)
    with console.capture() as shown:
        console.print(render_terminal(report))
    return "\n".join(line.rstrip() for line in shown.get().split("\n")).strip("\n") + "\n"


def _blocks(report: Report) -> Iterator[RenderableType]:
    yield Text()
    if report.question:
        yield Padding(Text(one_line(report.question), style="dim italic"), (0, 2, 1, 2))
    yield Padding(_Wrapped(_marked_answer(report)), (0, 2, 1, 2))
    numbered = list(enumerate(report.findings, start=1))
    problems = [(n, f) for n, f in numbered if f.verdict in plain.PROBLEMS or f.violations]
    settled = [(n, f) for n, f in numbered if f.verdict is Verdict.SUPPORTED and not f.violations]
    yield from _section("Needs a look", problems)
    yield from _section("Supported by the sources", settled)
    if report.risk_flags or report.warnings:
        yield _heading("Flags")
        yield from _notes(report)
    yield _summary(report)


def _section(title: str, numbered: list[tuple[int, Finding]]) -> Iterator[RenderableType]:
    if not numbered:
        return
    yield _heading(title)
    for number, finding in numbered[:_FINDINGS_SHOWN]:
        yield _finding(number, finding)
    if len(numbered) > _FINDINGS_SHOWN:
        more = f"… and {len(numbered) - _FINDINGS_SHOWN:,} more: the html, json and text formats show them all"
        yield Padding(Text(more, style="dim"), (0, 2, 1, 2))


def _heading(title: str) -> RenderableType:
    return Padding(Text(title, style="bold"), (0, 2, 1, 2))


def _marked_answer(report: Report) -> Text:
    text = Text()
    for segment in answer_segments(report):
        shown = visible(segment.of(report.answer))
        if not segment.owners:
            text.append(shown)
            continue
        verdict = report.findings[plain.gravest(report.findings, segment.owners)].verdict
        style = _WORDS[verdict]
        if segment.strong and verdict in plain.PROBLEMS:
            style += _DECISIVE[verdict]
        text.append(shown, style=style)
        for number in segment.closes:
            closing = report.findings[number]
            text.append(
                f"{_GLUE}{plain.style_of(closing).symbol}{plain.raised(number + 1)}",
                style=f"bold {COLOURS[closing.verdict]}",
            )
    return text


def _finding(number: int, finding: Finding) -> RenderableType:
    colour = COLOURS[finding.verdict]
    body: list[RenderableType] = []
    head = Text().append(plain.describe_verdict(finding), style=f"bold {colour}")
    if finding.verdict is not Verdict.ERROR:
        head.append(f"  {plain.show_share(finding.confidence)}", style="dim")
    for kind in finding.violations:
        head.append(f"  {plain.name_violation(kind)}", style=f"italic {colour}")
    body.append(head)
    body.append(Text(one_line(finding.text, 400)))
    if (reason := plain.explain(finding)) and finding.verdict is not Verdict.SUPPORTED:
        body.append(Text(one_line(reason, 600), style="dim"))
    body += [Text(one_line(warning, 400), style="dim italic") for warning in finding.claim.warnings]
    for place, item in enumerate(quotes(finding)):
        body += [Text(), _evidence(finding, item, colour)] if place else [_evidence(finding, item, colour)]
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=max(4, len(str(number)) + 2), no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    grid.add_row(Text(f"{plain.style_of(finding).symbol} {number}", style=f"bold {colour}"), Group(*body))
    return Padding(grid, (0, 2, 1, 2))


def _evidence(finding: Finding, item: Evidence, colour: str) -> RenderableType:
    quote = Text("“")
    for segment in quote_segments(finding, item, _QUOTE_SHOWN):
        words = " ".join(visible(segment.of(item.quote)).split("\n"))
        quote.append(words, style=f"bold reverse {colour}" if segment.strong else "")
    quote.append("…”" if len(item.quote) > _QUOTE_SHOWN else "”")
    place = Text().append(plain.locate_evidence(item), style="cyan")
    if item.heading:
        place.append(f"  {one_line(item.heading, 60)}", style="dim")
    return _Beside("│ ", Group(quote, place))


class _Wrapped:
    """Text whose lines end with their last word: an underline must not run on into the margin."""

    def __init__(self, text: Text) -> None:
        self.text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.text.wrap(console, options.max_width):
            line.rstrip()
            yield line


class _Beside:
    """Something with a bar down its left side, however many lines it takes."""

    def __init__(self, bar: str, inner: RenderableType) -> None:
        self.bar = bar
        self.inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = max(options.max_width - len(self.bar), 1)
        for line in console.render_lines(self.inner, options.update(width=room), pad=False):
            yield Segment(self.bar, Style(dim=True))
            yield from line
            yield Segment.line()


def _notes(report: Report) -> Iterator[RenderableType]:
    for flag in report.risk_flags:
        severe = flag.severity.lower() in ("high", "critical", "error")
        line = Text().append("▲ ", style="red" if severe else "yellow")
        line.append(plain.name_violation(flag.kind), style="bold")
        line.append(f"  {one_line(flag.message, 600)}", style="dim")
        yield Padding(line, (0, 2, 0, 2))
    for warning in report.warnings:
        yield Padding(Text(f"▲ {one_line(warning, 600)}", style="dim"), (0, 2, 0, 2))
    yield Text()


def _summary(report: Report) -> RenderableType:
    colour = COLOURS[plain.outcome_verdict(report)]
    line = Text(
        f"{plain.STYLES[plain.outcome_verdict(report)].symbol} {plain.state_outcome(report)}", style=f"bold {colour}"
    )
    if report.skipped:
        line.append(f": {one_line(report.skipped, 200)}", style="not bold")
    facts = Group(Text(plain.count_claims(report), style="dim"), Text(plain.show_confidence(report), style="dim"))
    return Padding(Group(line, Padding(facts, (0, 0, 0, 2))), (0, 0, 1, 2))
