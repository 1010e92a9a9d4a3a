"""The evaluation as one self-contained HTML page: figures, plots, and the worst mistakes with their quotes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np

from assay.evaluation import metrics
from assay.evaluation.evaluate import EvaluatedRow, Evaluation
from assay.evaluation.judges import make_pipeline
from assay.evaluation.results import Result, read_answers
from assay.render import plots
from assay.render.page import claim_body, header, html_text, plot, quotation, render_page, table, tile
from assay.types import Span

SAID = ("SUPPORTED", "REFUTED", "INSUFFICIENT")
TRUE = (*SAID, "NOT_SUPPORTED")
_STEPS = 50
_AROUND = 260  # characters of the evidence shown on each side of the quote
_LONGEST = 600  # characters of a quote that are shown
_HEADINGS = (
    "set|measure|value|95 % range|macro-F1|AUC|ECE|Brier|n|not checkable|error|false called supported|"
    "true called refuted|p50 ms|p95 ms|p99 ms"
).split("|")


@dataclass(frozen=True)
class Mistake:
    """A row called wrongly: what it is, what was said and how surely, and the words of the source it leaned on."""

    set: str
    line: int
    claim: str
    truth: str
    said: str
    confidence: float
    before: str
    quote: str
    after: str
    explanation: str


def find_mistakes(evaluations: Sequence[Evaluation], judge: str, most: int = 12, each: int = 3) -> list[Mistake]:
    """At most so many of all files and of each, the surest first."""
    found: list[tuple[float, str, EvaluatedRow]] = []
    for one in evaluations:
        scored = [row for row in one.rows if row.scored]
        if scored:
            answers = read_answers(one.result.task, scored)
            for row, right, sure in zip(scored, answers.right, answers.confidence, strict=True):
                if not right:
                    found.append((float(sure), one.result.name, row))
    found.sort(key=lambda item: -item[0])
    taken: Counter[str] = Counter()
    chosen: list[Mistake] = []
    for sure, name, row in found:
        if taken[name] < each and len(chosen) < most:
            taken[name] += 1
            chosen.append(_describe(sure, name, row, judge))
    return chosen


def _describe(sure: float, name: str, done: EvaluatedRow, judge: str) -> Mistake:
    text, span, explanation = _find_quote(done, judge)
    start, end = max(0, span.start - _AROUND), min(len(text), span.end + _AROUND)
    quote = span.of(text)
    return Mistake(
        set=name,
        line=done.row.line,
        claim=done.row.claim,
        truth=done.row.label,
        said=done.prediction.verdict.value if done.prediction else "ERROR",
        confidence=sure,
        before=("… " if start else "") + text[start : span.start],
        quote=quote if len(quote) <= _LONGEST else f"{quote[: _LONGEST // 2]} […] {quote[-_LONGEST // 2 :]}",
        after=text[span.end : end] + (" …" if end < len(text) else ""),
        explanation=explanation,
    )


def _find_quote(done: EvaluatedRow, judge: str) -> tuple[str, Span, str]:
    """The evidence, the stretch of it that decided, and why; asked of the engine where only a judge was measured."""
    detail = done.detail if done.detail is not None else _ask_engine(done, judge)
    for claim in (detail or {}).get("claims", ()):
        for quote in claim["quotes"]:
            number = int(quote["document"]) - 1
            if 0 <= number < len(done.row.sources):
                return done.row.sources[number], Span(quote["start"], quote["end"]), claim["explanation"]
    return done.row.evidence, Span(0, 0), ""


def _ask_engine(done: EvaluatedRow, judge: str) -> Mapping[str, Any] | None:
    from assay.judges import JUDGES

    if judge not in JUDGES:
        return None
    try:
        return make_pipeline(judge).examine(done.row)[1]
    except Exception:  # the quote is an extra: a row the engine cannot take is shown without one
        return None


def render_evaluation(evaluations: Sequence[Evaluation], mistakes: Sequence[Mistake], *, judge: str, mode: str) -> str:
    """The whole page."""
    results = [one.result for one in evaluations]
    shown = [row for one in evaluations for row in one.rows if row.scored]
    whole = " as the judge of whole answers" if mode == "pipeline" else ""
    return render_page(
        "evaluation",
        f"Assay evaluation: {judge} on {_sets(len(results))}",
        header(
            "Assay · evaluation",
            f"<h1>How well <i>{html_text(judge)}</i> does{whole}</h1>",
            [_counted(results)],
            _tiles(results),
        ),
        _bars(results) if shown else "",
        _plots(evaluations, shown) if shown else "",
        f"<h2>All figures</h2>{table(_HEADINGS, map(_cells, results), words=(1,))}",
        _mistakes(mistakes),
        "<footer>Every figure counts only rows that got a verdict; rows that could not be checked and rows in error "
        "are counted beside it, never as right or wrong. Ranges are 95 % bootstrap ranges.</footer>",
    )


def _sets(count: int) -> str:
    return f"{count} {'set' if count == 1 else 'sets'}"


def _counted(results: Sequence[Result]) -> str:
    rows, unsettled, errors = (sum(getattr(r, name) for r in results) for name in ("n", "n_not_checkable", "n_error"))
    return f"{rows:,} rows scored, {unsettled:,} not checkable, {errors:,} in error."


def _tiles(results: Sequence[Result]) -> str:
    tiles = []
    for measure in ("accuracy", "balanced_accuracy"):
        own = [r.value.value for r in results if r.task.measure == measure and r.value]
        if own:
            tiles.append(tile(f"{mean(own):.1%}", f"mean {measure.replace('_', ' ')}, {_sets(len(own))}"))
    for name, words in (("auc", "mean AUC of support"), ("ece", "mean calibration error")):
        found = [interval.value for r in results if (interval := r.figures[name]) is not None]
        if found:
            tiles.append(tile(f"{mean(found):.3f}", words))
    timed = [(r.n, r.n / r.rows_per_second) for r in results if r.rows_per_second]
    if seconds := sum(spent for _, spent in timed):
        tiles.append(tile(f"{sum(rows for rows, _ in timed) / seconds:,.0f}", "rows a second in this run"))
    memory = [r.peak_memory_mb for r in results if r.peak_memory_mb is not None]
    if memory:
        tiles.append(tile(f"{max(memory):,.0f} MB", "most memory held"))
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _bars(results: Sequence[Result]) -> str:
    bars = [
        plots.Bar(r.name, r.value.value, r.value.low, r.value.high, 1 / len(r.task.labels), f"n {r.n:,}")
        for r in sorted(results, key=lambda r: -(r.value.value if r.value else 0))
        if r.value
    ]
    words = "Accuracy where a set has three labels or two, balanced accuracy where it only knows supported or not."
    return f'<h2>Set by set</h2><p class="lead">{words}</p>{plots.draw_bars(bars, "the figure of each set")}'


def _plots(evaluations: Sequence[Evaluation], shown: Sequence[EvaluatedRow]) -> str:
    right: list[bool] = []
    sure: list[float] = []
    for one in evaluations:
        if own := [row for row in one.rows if row.scored]:
            answers = read_answers(one.result.task, own)
            right += answers.right.tolist()
            sure += answers.confidence.tolist()
    times = [row.ms for row in shown]
    marks = [(name, metrics.quantile(times, share)) for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))]
    said = Counter((row.row.label, row.prediction.verdict.value) for row in shown if row.prediction)
    labels = [label for label in TRUE if any(row.row.label == label for row in shown)]
    counts = [[said[label, verdict] for verdict in SAID] for label in labels]
    error = metrics.calibration_error(right, sure)
    drawn = (
        plot(
            "Does the confidence mean what it says?",
            f"All sets together; calibration error {error:.3f}. On the dashed line it would be exact.",
            plots.draw_reliability(metrics.reliability_bins(right, sure), "reliability diagram"),
        ),
        plot(
            "Where to put the threshold for “supported”",
            "Precision and recall of SUPPORTED when it is said from this probability on.",
            plots.draw_lines(_trade_off(shown), "precision and recall against threshold", "threshold"),
        ),
        plot(
            "What was said of what was true",
            "Share of each row. NOT_SUPPORTED is right as either REFUTED or INSUFFICIENT.",
            plots.draw_matrix(labels, SAID, counts, "confusion matrix"),
        ),
        plot(
            "How long one row takes",
            "Milliseconds, on a logarithmic scale.",
            plots.draw_histogram(times, marks, "latency histogram", "milliseconds"),
        ),
    )
    return f'<div class="pair">{"".join(drawn)}</div>'


def _trade_off(shown: Sequence[EvaluatedRow]) -> list[plots.Series]:
    truth = np.asarray([row.row.label == "SUPPORTED" for row in shown])
    score = np.asarray([row.prediction.scores.supported for row in shown if row.prediction])
    precision, recall = [], []
    for step in range(_STEPS + 1):
        cut = step / _STEPS
        called = score >= cut
        if called.any():
            precision.append((cut, float(truth[called].mean())))
        recall.append((cut, float((called & truth).sum() / max(1, truth.sum()))))
    return [plots.Series("precision", "first", precision), plots.Series("recall", "second", recall)]


def _cells(r: Result) -> list[str]:
    def shown(value: float | None, digits: int = 3) -> str:
        return "–" if value is None else f"{value:,.{digits}f}"

    def of(name: str) -> str:
        found = r.figures[name]
        return shown(found.value if found else None)

    return [
        r.name,
        f"{r.task.measure.replace('_', ' ')}, {r.task.name}",
        of(r.task.measure),
        f"{r.value.low:.3f}–{r.value.high:.3f}" if r.value else "–",
        *map(of, ("macro_f1", "auc", "ece", "brier")),
        f"{r.n:,}",
        str(r.n_not_checkable),
        str(r.n_error),
        *(shown(r.rates.get(name)) for name in ("false_called_supported", "true_called_refuted")),
        *(shown(ms, 1) for ms in (r.p50_ms, r.p95_ms, r.p99_ms)),
    ]


def _mistakes(mistakes: Sequence[Mistake]) -> str:
    if not mistakes:
        return "<h2>Worst mistakes</h2><p>None: every row that was scored was called rightly.</p>"
    return (
        '<h2>Worst mistakes</h2><p class="lead">The surest of the wrong verdicts, each with the words of the source it '
        "leaned on. Some labels are wrong too; that is for you to see.</p>" + "".join(map(_mistake, mistakes))
    )


def _mistake(one: Mistake) -> str:
    style = {"NOT_SUPPORTED": "refuted"}.get(one.said, one.said.lower())
    source = f"{html_text(one.before)}<mark>{html_text(one.quote)}</mark>{html_text(one.after)}"
    return (
        f'<article class="finding {style}"><p class="verdict"><span class="fact">{html_text(one.set)}, '
        f'line {one.line} · labelled {one.truth}, called</span><span class="word">{one.said}</span>'
        f'<span class="fact">with {one.confidence:.2f}</span></p>'
        f"{claim_body(one.claim, (one.explanation,), quotation(style, source, ''))}</article>"
    )
