"""Why a verdict is what it is, in plain words taken from the receipt: what the source says, and where it differs."""

from __future__ import annotations

from collections.abc import Sequence

from assay.lexical.wording import list_words, name_source, quoted, shorten
from assay.policy import Policy
from assay.render.decisive import find_decisive
from assay.text.tokens import count_tokens
from assay.types import Document, Span, Verdict


def explain(
    claim: str,
    verdict: Verdict,
    quotes: Sequence[tuple[Document, str]],
    missing: Sequence[str],
    policy: Policy,
) -> str:
    """At most `explanation_max_tokens` of plain words; `missing` are words of the claim that no quote has."""
    if verdict is Verdict.SUPPORTED:
        text = _supported(quotes)
    elif verdict is Verdict.REFUTED:
        text = _refuted(claim, quotes)
    else:
        text = _open(quotes, missing)
    return fit(text, policy.explanation_max_tokens)


def _supported(quotes: Sequence[tuple[Document, str]]) -> str:
    if not quotes:
        return "The sources back this as a whole."
    (document, first), *more = quotes
    text = f"{name_source(document, capital=True)} says: {quoted(first)}"
    for other, quote in more[:1]:
        same = other.id == document.id
        text += f" {'It also says' if same else f'{name_source(other, capital=True)} adds'}: {quoted(quote)}"
    return text


def _refuted(claim: str, quotes: Sequence[tuple[Document, str]]) -> str:
    if not quotes:
        return "The sources speak against this as a whole."
    document, quote = quotes[0]
    found = find_decisive(claim, quote)
    where = f"{name_source(document, capital=True)}: {quoted(quote)}"
    ours = found.claim[0].of(claim) if len(found.claim) == 1 else ""
    theirs = found.quote[0].of(quote) if len(found.quote) == 1 else ""
    if _is_fact(ours) and _is_fact(theirs):
        return f"The source says {shorten(theirs, 60)}, the answer says {shorten(ours, 60)}. {where}"
    return f"The source says something else. {where}"


def _is_fact(words: str) -> bool:
    """Whether words are a name or a number; that "stands" is not "opened" explains nothing."""
    return any(char.isdigit() or char.isupper() for char in words)


def _open(quotes: Sequence[tuple[Document, str]], missing: Sequence[str]) -> str:
    lacking = (
        f"{'The source does' if quotes else 'The sources do'} not mention {list_words(missing)}." if missing else ""
    )
    if not quotes:
        return lacking or "No source speaks of this."
    return f"{lacking or 'The source does not settle this.'} The closest place: {quoted(quotes[0][1])}"


def fit(text: str, most: int) -> str:
    """The text within a number of tokens, cut at a word."""
    if count_tokens(text) <= most:
        return text
    words = text.split(" ")
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(" ".join(words[:middle]) + "…") <= most:
            low = middle
        else:
            high = middle - 1
    if low:
        return " ".join(words[:low]) + "…"
    head = text[:most]  # one endless word
    while count_tokens(head + "…") > most:
        head = head[:-1]
    return head + "…"


def unsupported_spans(claim: str, verdict: Verdict, quote: str, missing: Sequence[str]) -> list[Span]:
    """The stretches of a claim that its evidence does not carry: what differs, else the words that are missing."""
    if verdict is Verdict.SUPPORTED:
        return []
    if verdict is Verdict.REFUTED and quote:
        return list(find_decisive(claim, quote).claim)
    spans = []
    at = 0
    for word in missing:
        found = claim.find(word, at)
        if found >= 0:
            spans.append(Span(found, found + len(word)))
            at = found + len(word)
    return spans
