"""The evaluation as one self-contained HTML page: figures, plots, and the worst mistakes with their receipts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from statistics import mean

import numpy as np

from assay.evaluation import metrics
from assay.evaluation.evaluate import Evaluation
from assay.evaluation.journal import Trial
from assay.evaluation.mistakes import Mistake
from assay.evaluation.results import Result, read_answers
from assay.render import plots
from assay.types import Verdict

SAID = ("SUPPORTED", "REFUTED", "INSUFFICIENT")
TRUE = ("SUPPORTED", "REFUTED", "INSUFFICIENT", "NOT_SUPPORTED")
_BINS = 10
_STEPS = 50


def render_page(evaluations: Sequence[Evaluation], mistakes: Sequence[Mistake], *, judge: str, mode: str) -> str:
    """The whole page."""
    results = [one.result for one in evaluations]
    shown = [trial for one in evaluations for trial in scored(one)]
    title = f"{judge} on {len(results)} {'set' if len(results) == 1 else 'sets'}"
    parts = [
        f'<header><p class="brand">Assay · evaluation</p><h1>How well <i>{escape(judge)}</i> does'
        f"{' as the judge of whole answers' if mode == 'pipeline' else ''}</h1>",
        f'<p class="facts">{_counted(results)}</p>{_tiles(results)}</header>',
    ]
    if shown:
        parts += [_bars(results), _plots(evaluations, shown)]
    parts += [_table(results), _mistakes(mistakes)]
    parts.append(
        "<footer>Every figure counts only rows that got a verdict; rows that could not be checked and rows in error "
        "are counted beside it, never as right or wrong. Ranges are 95 % bootstrap ranges.</footer>"
    )
    return document(f"Assay evaluation: {title}", "\n".join(parts))


def document(title: str, body: str) -> str:
    """A page that loads nothing from anywhere."""
    style = files("assay.evaluation").joinpath("page.css").read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def scored(one: Evaluation) -> list[Trial]:
    return [t for t in one.trials if t.opinion is not None and t.opinion.verdict is not Verdict.NOT_CHECKABLE]


def _counted(results: Sequence[Result]) -> str:
    rows, unsettled, errors = (sum(getattr(r, name) for r in results) for name in ("n", "n_not_checkable", "n_error"))
    return f"{rows:,} rows scored, {unsettled:,} not checkable, {errors:,} in error."


def tile(figure: str, words: str) -> str:
    return f'<p class="tile"><b>{figure}</b><span>{escape(words)}</span></p>'


def _tiles(results: Sequence[Result]) -> str:
    tiles = []
    for measure, words in (("accuracy", "accuracy"), ("balanced_accuracy", "balanced accuracy")):
        own = [r.value.value for r in results if r.task.measure == measure and r.value]
        if own:
            tiles.append(tile(f"{mean(own):.1%}", f"mean {words}, {len(own)} {'set' if len(own) == 1 else 'sets'}"))
    for name, words in (("auc", "mean AUC of support"), ("ece", "mean calibration error")):
        found = [interval.value for r in results if (interval := r.figures[name]) is not None]
        if found:
            tiles.append(tile(f"{mean(found):.3f}", words))
    speeds = [r for r in results if r.rows_per_second]
    if speeds:
        rows = sum(r.n for r in speeds)
        seconds = sum(r.n / r.rows_per_second for r in speeds if r.rows_per_second)
        if seconds:
            tiles.append(tile(f"{rows / seconds:,.0f}", "rows a second in this run"))
    memory = [r.peak_memory_mb for r in results if r.peak_memory_mb is not None]
    if memory:
        tiles.append(tile(f"{max(memory):,.0f} MB", "most memory held"))
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _bars(results: Sequence[Result]) -> str:
    bars = [
        plots.Bar(r.name, r.value.value, r.value.low, r.value.high, _chance(r), f"n {r.n:,}")
        for r in sorted(results, key=lambda r: -(r.value.value if r.value else 0))
        if r.value
    ]
    words = "Accuracy where a set has three labels or two, balanced accuracy where it only knows supported or not."
    return f'<h2>Set by set</h2><p class="lead">{words}</p>{plots.draw_bars(bars, "the figure of each set")}'


def _chance(result: Result) -> float:
    return 1 / 3 if result.task.name == "three-way" else 1 / 2


def reliability(right: Sequence[bool], sure: Sequence[float]) -> list[plots.Bin]:
    """Ten equal bins of confidence, those with rows in them."""
    hits, values = np.asarray(right, dtype=float), np.asarray(sure, dtype=float)
    place = np.minimum((values * _BINS).astype(int), _BINS - 1)
    return [
        plots.Bin(float(values[own].mean()), float(hits[own].mean()), int(own.sum()))
        for number in range(_BINS)
        if (own := place == number).any()
    ]


def _plots(evaluations: Sequence[Evaluation], shown: Sequence[Trial]) -> str:
    right: list[bool] = []
    sure: list[float] = []
    for one in evaluations:
        own = scored(one)
        if own:
            truth, said, likely = read_answers(one.result.task, own)
            right += (truth == said).tolist()
            sure += likely[np.arange(len(said)), said].tolist()
    error = metrics.calibration_error(right, sure)
    times = [trial.ms for trial in shown]
    marks = [(name, metrics.quantile(times, share)) for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))]
    rows = [label for label in TRUE if any(t.row.label == label for t in shown)]
    counts = [
        [
            sum(t.row.label == label and t.opinion is not None and t.opinion.verdict.value == v for t in shown)
            for v in SAID
        ]
        for label in rows
    ]
    return (
        '<div class="pair">'
        + "".join(
            (
                figure(
                    "Does the confidence mean what it says?",
                    f"All sets together; calibration error {error:.3f}. On the dashed line it would be exact.",
                    plots.draw_reliability(reliability(right, sure), "reliability diagram"),
                ),
                figure(
                    "Where to put the threshold for “supported”",
                    "Precision and recall of SUPPORTED when it is said from this probability on.",
                    plots.draw_lines(_trade_off(shown), "precision and recall against threshold", "threshold"),
                ),
                figure(
                    "What was said of what was true",
                    "Share of each row. NOT_SUPPORTED is right as either REFUTED or INSUFFICIENT.",
                    plots.draw_matrix(rows, SAID, counts, "confusion matrix"),
                ),
                figure(
                    "How long one row takes",
                    "Milliseconds, on a logarithmic scale.",
                    plots.draw_histogram(times, marks, "latency histogram", "milliseconds"),
                ),
            )
        )
        + "</div>"
    )


def figure(title: str, words: str, picture: str) -> str:
    return f"<figure><figcaption><b>{escape(title)}</b>{escape(words)}</figcaption>{picture}</figure>"


def _trade_off(shown: Sequence[Trial]) -> list[plots.Series]:
    truth = np.asarray([t.row.label == "SUPPORTED" for t in shown])
    score = np.asarray([t.opinion.scores.supported for t in shown if t.opinion])
    precision, recall = [], []
    for step in range(_STEPS + 1):
        cut = step / _STEPS
        called = score >= cut
        if called.any():
            precision.append((cut, float(truth[called].mean())))
        recall.append((cut, float((called & truth).sum() / max(1, truth.sum()))))
    return [plots.Series("precision", "first", precision), plots.Series("recall", "second", recall)]


def _table(results: Sequence[Result]) -> str:
    head = (
        "set|measure|value|95 % range|macro-F1|AUC|ECE|Brier|n|not checkable|error|false called supported|"
        "true called refuted|p50 ms|p95 ms|p99 ms"
    ).split("|")
    lines = "".join(f"<tr>{''.join(f'<td{kind}>{cell}</td>' for kind, cell in _cells(r))}</tr>" for r in results)
    names = "".join(f"<th{' class=words' if name == 'measure' else ''}>{name}</th>" for name in head)
    return f'<h2>All figures</h2><div class="scroll"><table><tr>{names}</tr>{lines}</table></div>'


def _cells(r: Result) -> list[tuple[str, str]]:
    def shown(value: float | None, digits: int = 3) -> str:
        return "–" if value is None else f"{value:,.{digits}f}"

    def of(name: str) -> str:
        found = r.figures[name]
        return shown(found.value if found else None)

    span = f"{r.value.low:.3f}–{r.value.high:.3f}" if r.value else "–"
    plain = [escape(r.name), f"{r.task.measure.replace('_', ' ')}, {r.task.name}", of(r.task.measure), span]
    plain += [of(name) for name in ("macro_f1", "auc", "ece", "brier")]
    plain += [f"{r.n:,}", str(r.n_not_checkable), str(r.n_error)]
    plain += [shown(r.rates.get(name)) for name in ("false_called_supported", "true_called_refuted")]
    plain += [shown(ms, 1) for ms in (r.p50_ms, r.p95_ms, r.p99_ms)]
    return [(" class=words" if number == 1 else "", cell) for number, cell in enumerate(plain)]


def _mistakes(mistakes: Sequence[Mistake]) -> str:
    if not mistakes:
        return "<h2>Worst mistakes</h2><p>None: every row that was scored was called rightly.</p>"
    return (
        '<h2>Worst mistakes</h2><p class="lead">The surest of the wrong verdicts, each with the words of the source it '
        "leaned on. Some labels are wrong too; that is for you to see.</p>" + "".join(map(_mistake, mistakes))
    )


def _mistake(one: Mistake) -> str:
    explanation = f'<p class="where">{escape(one.explanation)}</p>' if one.explanation else ""
    return (
        f'<article class="mistake"><p class="where">{escape(one.set)}, line {one.line} · labelled '
        f'<span class="{one.truth}">{one.truth}</span>, called <span class="{one.said}">{one.said}</span> '
        f"with {one.confidence:.2f}</p>"
        f'<p class="claim">{escape(one.claim)}</p>'
        f'<p class="source">{escape(one.before)}<mark>{escape(one.quote)}</mark>{escape(one.after)}</p>'
        f"{explanation}</article>"
    )
