"""Plots as SVG text, drawn by hand: no library, no script, colours from the style sheet of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

Point = tuple[float, float]


@dataclass(frozen=True)
class Frame:
    """The box a plot is drawn in: the whole picture, the room kept for labels, and the ranges of both axes."""

    width: int
    height: int
    left: int = 44
    right: int = 16
    top: int = 12
    bottom: int = 40
    xs: Point = (0.0, 1.0)
    ys: Point = (0.0, 1.0)

    def x(self, value: float) -> float:
        low, high = self.xs
        return round(self.left + (value - low) / (high - low) * (self.width - self.left - self.right), 1)

    def y(self, value: float) -> float:
        low, high = self.ys
        return round(
            self.height - self.bottom - (value - low) / (high - low) * (self.height - self.top - self.bottom), 1
        )

    def draw(self, label: str, *parts: str) -> str:
        body = "".join(parts)
        return (
            f'<svg viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{escape(label, quote=True)}" '
            f'xmlns="http://www.w3.org/2000/svg">{body}</svg>'
        )

    def axes(self, x_label: str, y_label: str, xs: Sequence[float], ys: Sequence[float]) -> str:
        """Hairlines across at each y, and the values and names of both axes."""
        low, high = self.ys[0], self.x(self.xs[1])
        lines = [
            f'<line class="grid" x1="{self.left}" x2="{high}" y1="{self.y(at)}" y2="{self.y(at)}"/>'
            f'<text class="tick" x="{self.left - 8}" y="{self.y(at) + 4}" text-anchor="end">{_number(at)}</text>'
            for at in ys
        ]
        lines += [
            f'<text class="tick" x="{self.x(at)}" y="{self.y(low) + 17}" text-anchor="middle">{_number(at)}</text>'
            for at in xs
        ]
        middle = (self.left + high) / 2
        lines.append(
            f'<text class="name" x="{middle}" y="{self.height - 5}" text-anchor="middle">{escape(x_label)}</text>'
        )
        if y_label:
            lines.append(
                f'<text class="name" x="{self.left}" y="{self.top - 14}" text-anchor="start">{escape(y_label)}</text>'
            )
        return "".join(lines)


def _number(value: float) -> str:
    return f"{value:g}"


def _text(x: float, y: float, words: str, kind: str = "value", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{round(x, 1)}" y="{round(y, 1)}" text-anchor="{anchor}">{escape(words)}</text>'


def _path(points: Sequence[Point], kind: str) -> str:
    steps = " ".join(f"{'L' if number else 'M'}{x} {y}" for number, (x, y) in enumerate(points))
    return f'<path class="{kind}" d="{steps}"/>'


@dataclass(frozen=True)
class Bar:
    """One named figure with its range, and the value that chance would give."""

    name: str
    value: float
    low: float
    high: float
    chance: float
    note: str = ""


def draw_bars(bars: Sequence[Bar], label: str) -> str:
    """A bar for each figure with its range as a whisker and chance as a tick, from 0 to 1."""
    step, top = 24, 8
    frame = Frame(1080, top + step * len(bars) + 44, left=230, right=150, top=top)
    low = frame.height - frame.bottom
    parts = [
        f'<line class="grid" x1="{frame.x(at)}" x2="{frame.x(at)}" y1="{top}" y2="{low}"/>'
        + _text(frame.x(at), low + 17, _number(at), "tick", "middle")
        for at in (0, 0.25, 0.5, 0.75, 1)
    ]
    for number, bar in enumerate(bars):
        y = top + step * number + step / 2
        end, start = frame.x(bar.value), frame.x(0)
        chance = frame.x(bar.chance)
        hint = f"{bar.name}: {bar.value:.3f}, 95 % range {bar.low:.3f}–{bar.high:.3f}. {bar.note}"
        parts.append(
            f"<g><title>{escape(hint)}</title>"
            + _text(frame.left - 12, y + 4, bar.name, "label", "end")
            + f'<path class="bar" d="M{start} {y - 6}H{max(start, end - 3)}q3 0 3 3v6q0 3 -3 3H{start}z"/>'
            + f'<line class="by-chance" x1="{chance}" x2="{chance}" y1="{y - 9}" y2="{y + 9}"/>'
            + f'<line class="halo" x1="{frame.x(bar.low)}" x2="{frame.x(bar.high)}" y1="{y}" y2="{y}"/>'
            + f'<line class="whisker" x1="{frame.x(bar.low)}" x2="{frame.x(bar.high)}" y1="{y}" y2="{y}"/>'
            + _text(frame.x(1) + 12, y + 4, f"{bar.value:.3f}", "value")
            + _text(frame.x(1) + 62, y + 4, bar.note, "tick")
            + "</g>"
        )
    legend = "upright tick: what chance would give   ·   dark line: 95 % range"
    parts.append(_text(frame.x(0), frame.height - 5, legend, "name"))
    return frame.draw(label, *parts)


class Bin(Protocol):
    """Rows of about the same confidence: their mean confidence, the share that was right, how many they are."""

    @property
    def confidence(self) -> float: ...
    @property
    def accuracy(self) -> float: ...
    @property
    def count(self) -> int: ...


def draw_reliability(bins: Sequence[Bin], label: str, before: Sequence[Bin] = ()) -> str:
    """How often right against how sure: on the diagonal the confidence means what it says; dot size by rows."""
    frame = Frame(520, 400, top=30, bottom=44)
    ticks = (0, 0.2, 0.4, 0.6, 0.8, 1)
    parts = [frame.axes("confidence given", "share that was right", ticks, ticks)]
    parts.append(_path([(frame.x(0), frame.y(0)), (frame.x(1), frame.y(1))], "diagonal"))
    for kind, group in (("before", before), ("after", bins)):
        most = max((one.count for one in group), default=1)
        parts.append(_path([(frame.x(one.confidence), frame.y(one.accuracy)) for one in group], f"line {kind}"))
        for one in group:
            x, y, size = frame.x(one.confidence), frame.y(one.accuracy), 4 + 8 * math.sqrt(one.count / most)
            hint = f"{one.count} rows said {one.confidence:.2f}, right {one.accuracy:.2f}"
            parts.append(
                f'<circle class="dot {kind}" cx="{x}" cy="{y}" r="{size:.1f}"><title>{escape(hint)}</title></circle>'
            )
    parts.append(_text(frame.x(0.24), frame.y(0.72), "less sure than right", "tick", "middle"))
    parts.append(_text(frame.x(0.80), frame.y(0.16), "surer than right", "tick", "middle"))
    return frame.draw(label, *parts)


@dataclass(frozen=True)
class Series:
    """A named line; `kind` is its class in the style sheet."""

    name: str
    kind: str
    points: Sequence[Point]


def draw_lines(series: Sequence[Series], label: str, x_label: str) -> str:
    """Lines from 0 to 1 on both axes, each named where it ends."""
    frame = Frame(520, 400, top=30, bottom=44, right=78)
    ticks = (0, 0.2, 0.4, 0.6, 0.8, 1)
    parts = [frame.axes(x_label, "share", ticks, ticks)]
    ends: list[float] = []
    for one in series:
        drawn = [(frame.x(x), frame.y(y)) for x, y in one.points]
        if not drawn:
            continue
        parts.append(_path(drawn, f"line {one.kind}"))
        y = drawn[-1][1]
        while any(abs(y - other) < 14 for other in ends):
            y += 14
        ends.append(y)
        parts.append(_text(drawn[-1][0] + 6, y + 4, one.name, f"label {one.kind}"))
    return frame.draw(label, *parts)


def draw_matrix(rows: Sequence[str], columns: Sequence[str], counts: Sequence[Sequence[int]], label: str) -> str:
    """What was true (down) against what was said (across), shaded by the share of the row."""
    cell, high, left, top = 116, 58, 150, 46
    frame = Frame(left + cell * len(columns) + 8, top + high * len(rows) + 10)
    parts = [_text(left, 14, "said", "name"), _text(left - 12, top - 8, "true", "name", "end")]
    for number, name in enumerate(columns):
        parts.append(_text(left + cell * (number + 0.5), 36, name, "label", "middle"))
    for down, (name, line) in enumerate(zip(rows, counts, strict=True)):
        total = max(1, sum(line))
        y = top + high * down
        parts.append(_text(left - 12, y + high / 2 + 4, name, "label", "end"))
        for across, count in enumerate(line):
            x, share = left + cell * across, count / total
            kind = "deep" if share > 0.62 else ""
            parts.append(
                f"<g><title>{escape(f'{name} called {columns[across]}: {count} of {total}')}</title>"
                f'<rect class="cell" x="{x + 1}" y="{y + 1}" width="{cell - 2}" height="{high - 2}" rx="3" '
                f'fill-opacity="{0.05 + 0.88 * share:.3f}"/>'
                + _text(x + cell / 2, y + high / 2 - 1, f"{share:.0%}", f"value {kind}", "middle")
                + _text(x + cell / 2, y + high / 2 + 16, f"{count:,}", f"tick {kind}", "middle")
                + "</g>"
            )
    return frame.draw(label, *parts)


def draw_histogram(values: Sequence[float], marks: Sequence[tuple[str, float]], label: str, x_label: str) -> str:
    """How many values of which size, on a logarithmic scale, with named marks."""
    shown = [max(value, 1e-3) for value in values]
    low, high = math.floor(math.log10(min(shown)) * 2) / 2, math.ceil(math.log10(max(shown)) * 2) / 2
    high = high if high > low else low + 0.5
    bins = max(8, min(40, round((high - low) * 14)))
    counts = [0] * bins
    for value in shown:
        counts[min(bins - 1, int((math.log10(value) - low) / (high - low) * bins))] += 1
    most = max(counts)
    frame = Frame(520, 400, top=44, bottom=44, xs=(low, high), ys=(0, most))
    base = frame.y(0)
    parts = [
        f'<line class="grid" x1="{frame.left}" x2="{frame.x(high)}" y1="{base}" y2="{base}"/>',
        _text(frame.left, 16, f"rows (most in one bar: {most:,})", "name"),
    ]
    for tick in range(math.ceil(low), math.floor(high) + 1):
        parts.append(_text(frame.x(tick), base + 17, _number(10.0**tick), "tick", "middle"))
    width = (frame.x(high) - frame.x(low)) / bins
    for number, count in enumerate(counts):
        if count:
            x, y = frame.x(low) + number * width, frame.y(count)
            first, last = (10 ** (low + edge * (high - low) / bins) for edge in (number, number + 1))
            parts.append(
                f'<rect class="bar" x="{x + 1:.1f}" y="{y}" width="{width - 2:.1f}" height="{base - y:.1f}" rx="2">'
                f"<title>{escape(f'{count} rows took {first:.3g}–{last:.3g}')}</title></rect>"
            )
    behind = -1e9
    for level, (name, value) in enumerate(marks):
        x = frame.x(math.log10(max(value, 1e-3)))
        y = frame.top - 4 if x - behind > 76 else frame.top + 10 + 12 * level
        behind = x
        parts.append(f'<line class="chance" x1="{x}" x2="{x}" y1="{frame.top}" y2="{base}"/>')
        parts.append(_text(x + 4, y, f"{name} {value:,.1f}", "label"))
    parts.append(_text((frame.left + frame.x(high)) / 2, frame.height - 5, x_label, "name", "middle"))
    return frame.draw(label, *parts)
