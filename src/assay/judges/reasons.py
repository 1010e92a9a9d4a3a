"""Why a verdict is what it is, from the sentences the model points to and the words of the claim it marks."""

from __future__ import annotations

from collections.abc import Sequence

from assay.encoder.verifier import MarkedWord, Opinion, PointedSentence
from assay.explanation import fit, name_source, quoted, shorten
from assay.lexical.decisive import find_decisive
from assay.policy import Policy
from assay.text.quantities import Match, Quantity, compare, find_quantities
from assay.text.tokens import tokenize
from assay.types import Span, Verdict

MARKED = 0.5  # a word more likely wrong than right is marked
MOST_QUOTES = 3
LEAST_SHARE = 0.2  # of the decision, for a second or third sentence to be quoted


def deciding_sentences(opinion: Opinion) -> tuple[PointedSentence, ...]:
    """The sentences to quote, the deciding one first; a heading decides nothing."""
    real = [sentence for sentence in opinion.sentences if sentence.kind != "heading"]
    return tuple(real[:1] + [sentence for sentence in real[1:MOST_QUOTES] if sentence.weight >= LEAST_SHARE])


def marked_stretches(claim: str, opinion: Opinion, verdict: Verdict) -> tuple[Span, ...]:
    """The stretches of a claim that are wrong or not backed: its marked words, neighbours joined.

    A claim that is not supported always has one: where no word is marked, the likeliest.
    """
    words = [word for word in opinion.words if any(map(str.isalnum, word.span.of(claim)))]
    if verdict is Verdict.SUPPORTED or not words:
        return ()
    least = min(MARKED, max(word.probability for word in words))
    chosen = [word for word in words if word.probability >= least]
    return _joined(claim, chosen)


def _joined(claim: str, words: Sequence[MarkedWord]) -> tuple[Span, ...]:
    found: list[Span] = []
    for span in _whole(claim, words):
        if found and not any(char.isalnum() for char in claim[found[-1].end : span.start]):
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return tuple(found)


def _whole(claim: str, words: Sequence[MarkedWord]) -> list[Span]:
    """What the model marks, widened to the words of a reader: it sees "8,489" as "8" and "489"."""
    tokens = tokenize(claim)
    wide: list[Span] = []
    for word in words:
        over = [t for t in tokens if t.start < word.span.end and word.span.start < t.end]
        ends = [word.span.end, *(t.end for t in over)]
        wide.append(Span(min([word.span.start, *(t.start for t in over)]), max(ends)))
    return wide


def explain_opinion(
    claim: str,
    verdict: Verdict,
    quotes: Sequence[PointedSentence],
    marked: Sequence[Span],
    policy: Policy,
    *,
    torn: bool = False,
) -> str:
    """Plain words within the policy's limit: what the source says, and what differs.

    `torn`: the model is sure that the sources settle the claim, but not which way.
    """
    texts = [sentence.span.of(sentence.document.text) for sentence in quotes]
    if verdict is Verdict.SUPPORTED:
        said = _supported(quotes, texts)
    elif verdict is Verdict.REFUTED:
        said = _refuted(claim, quotes, texts, marked)
    elif torn and quotes:
        where = f"{name_source(quotes[0].document, capital=True)}: {quoted(texts[0])}"
        said = f"The sources speak of this, but whether they back it or contradict it is not certain. {where}"
    else:
        said = _open(claim, quotes, texts, marked)
    return fit(said)


def _supported(quotes: Sequence[PointedSentence], texts: Sequence[str]) -> str:
    if not quotes:
        return "The sources back this as a whole."
    said = f"{name_source(quotes[0].document, capital=True)} says: {quoted(texts[0])}"
    for other, text in zip(quotes[1:2], texts[1:2], strict=True):
        same = other.document.id == quotes[0].document.id
        said += f" {'It also says' if same else f'{name_source(other.document, capital=True)} adds'}: {quoted(text)}"
    return said


def _refuted(claim: str, quotes: Sequence[PointedSentence], texts: Sequence[str], marked: Sequence[Span]) -> str:
    if not quotes:
        return "The sources speak against this as a whole."
    where = f"{name_source(quotes[0].document, capital=True)}: {quoted(texts[0])}"
    pair = _other_value(claim, texts[0], marked) or _other_name(claim, texts[0])
    if pair:
        return f"{pair} {where}"
    words = _listed(claim, marked)
    return f"The answer says {words}; {where}" if words else where


def _other_value(claim: str, quote: str, marked: Sequence[Span]) -> str:
    """ "The source says 15:00, the answer says 5 pm": one value marked in the claim, one like it in the quote."""
    ours = [q for q in find_quantities(claim) if any(q.span.overlaps(span) for span in marked)]
    if len(ours) != 1:
        return ""
    theirs = [q for q in find_quantities(quote) if _like(ours[0], q)]
    if len(theirs) != 1:
        return ""
    return f"The source says {theirs[0].text}, the answer says {ours[0].text}."


def _like(one: Quantity, other: Quantity) -> bool:
    return one.kind is other.kind and compare(one, other, 0.0) is Match.DIFFERENT


def _other_name(claim: str, quote: str) -> str:
    """ "The source says this of the Basic plan, not of Pro": one name stands where the quote has another."""
    found = find_decisive(claim, quote)
    if len(found.claim) != 1 or len(found.quote) != 1:
        return ""
    ours, theirs = found.claim[0].of(claim), found.quote[0].of(quote)
    if not (any(map(str.isupper, ours)) and any(map(str.isupper, theirs))):
        return ""
    return f"The source says this of {shorten(theirs, 60)}, not of {shorten(ours, 60)}."


def _open(claim: str, quotes: Sequence[PointedSentence], texts: Sequence[str], marked: Sequence[Span]) -> str:
    words = _listed(claim, marked)
    lacking = f"No source backs {words}." if words else "The sources do not settle this."
    return f"{lacking} The closest place: {quoted(texts[0])}" if quotes else lacking


def _listed(claim: str, marked: Sequence[Span]) -> str:
    return " and ".join(f"“{shorten(span.of(claim), 80)}”" for span in marked[:2])
