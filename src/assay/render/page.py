"""The frame and the elements of a self-contained HTML page: nothing is fetched, nothing runs but its own script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from assay.render.escape import visible


def render_page(kind: str, title: str, *parts: str, script: str = "", data: str = "") -> str:
    """A page of one kind (`report`, `ledger` or `evaluation`) made of its parts; `data` is JSON safe in a script."""
    style = load_asset("style.css")
    # Should a text ever slip through unescaped, the page still runs nothing else and loads nothing.
    allowed = f"default-src 'none'; style-src {_hash_source(style)}"
    allowed += f"; script-src {_hash_source(script)}" if script else ""
    scripts = [f'<script type="application/json" id="report">{data}</script>'] if data else []
    scripts += [f"<script>{script}</script>"] if script else []
    body = "\n".join(part for part in (*parts, *scripts) if part)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{allowed}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Assay">
<title>{html_text(title)}</title>
<style>{style}</style>
</head>
<body class="{kind}">
{body}
</body>
</html>
"""


@cache
def load_asset(name: str) -> str:
    """A style sheet or script of this package."""
    return files("assay.render").joinpath(name).read_text(encoding="utf-8")


def _hash_source(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def html_text(text: str) -> str:
    """Text as it may stand between tags and in attributes, with nothing invisible in it."""
    return escape(visible(text), quote=True)


def header(brand: str, heading: str, facts: Iterable[str], *more: str, question: str | None = None) -> str:
    """The head of a page; `heading` and `more` are HTML."""
    asked = f'<p class="question" dir="auto">{html_text(question)}</p>' if question else ""
    line = html_text(" · ".join(fact for fact in facts if fact))
    return (
        f'<header><p class="brand">{html_text(brand)}</p>{heading}{asked}<p class="facts">{line}</p>'
        f"{''.join(more)}</header>"
    )


def listed(title: str, items: Sequence[str], kinds: Sequence[str] = ()) -> str:
    """A section with a list of HTML items, nothing where there are none; `kinds` are their classes."""
    if not items:
        return ""
    classes = [f' class="{kind}"' if kind else "" for kind in kinds] or [""] * len(items)
    rows = "".join(f"<li{kind}>{item}</li>" for kind, item in zip(classes, items, strict=True))
    return f'<section aria-label="{title}"><h2>{title}</h2><ul class="listed">{rows}</ul></section>'


def symbol(sign: str) -> str:
    return f'<span class="symbol" aria-hidden="true">{sign}</span>'


def marked_claim(verdict: str, number: int, words: str, attributes: str = "") -> str:
    """A stretch of the answer that links to its claim; `words` is HTML."""
    return f'<a class="claim {verdict}" href="#claim-{number}"{attributes}><span class="words">{words}</span></a>'


def verdict_line(sign: str, number: int | None, word: str, *between: str, aside: str = "") -> str:
    """The line above a claim; `between` is HTML, `aside` stands at the right end."""
    numbered = "" if number is None else f'<span class="number">{number}</span> '
    right = f' <span class="method">{html_text(aside)}</span>' if aside else ""
    said = f'<span class="word">{html_text(word)}</span>'
    return f'<p class="verdict">{symbol(sign)} {numbered}{said}{"".join(between)}{right}</p>'


def claim_body(statement: str, notes: Iterable[str], *proof: str) -> str:
    """The words of a claim, what is to be said about it, and its quotes as HTML."""
    reasons = "".join(f'<p class="reason" dir="auto">{html_text(note)}</p>' for note in notes if note)
    return f'<p class="statement" dir="auto">{html_text(statement)}</p>{reasons}{"".join(proof)}'


def quotation(stance: str, quote: str, caption: str) -> str:
    """A quote of a source with its place; both are HTML."""
    return (
        f'<figure class="evidence {stance}"><blockquote dir="auto">{quote}</blockquote>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def tile(figure: str, words: str) -> str:
    """One large figure and what it is."""
    return f'<p class="tile"><b>{html_text(figure)}</b><span>{html_text(words)}</span></p>'


def plot(title: str, words: str, picture: str) -> str:
    """A plot with its title and an explanation."""
    return (
        f'<figure class="plot"><figcaption><b>{html_text(title)}</b>{html_text(words)}</figcaption>{picture}</figure>'
    )


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], words: Sequence[int] = ()) -> str:
    """A table of texts; the columns `words` are aligned to the left like the first."""

    def line(tag: str, cells: Sequence[str]) -> str:
        kinds = [' class="words"' if number in words else "" for number in range(len(cells))]
        return "".join(f"<{tag}{kind}>{html_text(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True))

    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{line("th", headings)}</tr>{body}</table></div>'
