"""The pieces of an answer: every sentence, bullet and table row, split into what it claims and what it does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.claims import lines
from assay.claims.checkable import (
    asks_what,
    doubt_end,
    framing_end,
    introduces,
    names_source,
    opens_references,
    why_not_checkable,
)
from assay.claims.citations import find_citations
from assay.claims.decompose import ClaimClause, split_clauses
from assay.claims.grammar import is_statement
from assay.claims.prose import Prose, Run, Stretch, TableRow, moved, read_row
from assay.policy import CLAIM_MAX_TOKENS, Policy
from assay.text.sentences import SentenceSpan, split_sentences
from assay.text.tokens import count_tokens
from assay.text.words import points_back


@dataclass(slots=True)
class Piece:
    """A stretch of one sentence before it becomes a claim; `runs` say where the words of its text were read."""

    start: int
    end: int
    sentence: int
    text: str = ""
    reason: str = ""
    context: str = ""
    warnings: tuple[str, ...] = ()
    runs: list[Run] = field(default_factory=list)
    anchors_only: bool = False


# A sentence that is no claim as a whole may still have one behind it: "I'm not a doctor, but …".
_SPLIT_FIRST = frozenset(("refusal", "disclaimer", "imperative"))
_ANCHORS_ONLY = re.compile(
    r"(?:(?:sources?|refs?|references?|citations?|see|via)\b)?[\W_]{0,80}(?:and\b[\W_]{0,20}){0,9}", re.IGNORECASE
)

_DEFINITION = re.compile(r"\[[^\[\]\n]{1,80}\]:\s")
_OPENING = re.compile(r"[^\w\s]{0,8}")
_SHORT_LINE = 6
_BEFORE = 300  # characters of a line of references that may name the authors of a work
_MOST_FRAMES = 3


class AnswerReader:
    """One reading of one answer, sentence by sentence, with what earlier lines said."""

    def __init__(self, text: str, policy: Policy) -> None:
        self.text, self.policy = text, policy
        self.sentences = split_sentences(text)
        self.citations = find_citations(text)
        self.prose = Prose(text, self.citations)
        self.labels = lines.Labels()
        self.antecedent = ""
        self.header: TableRow | None = None
        self.listing_sources = False

    def pieces(self) -> Iterator[Piece]:
        block = -1
        for index, sentence in enumerate(self.sentences):
            span = sentence.span
            opens = sentence.block != block
            block = sentence.block
            if sentence.kind == "code":
                yield from self.code(index, sentence)
            elif sentence.kind == "heading":
                yield from self.heading(index, sentence)
            elif sentence.kind == "table":
                yield from self.row(index, sentence)
            else:
                for start, end in lines.split_lines(self.text, span.start, span.end):
                    yield from self.line(index, sentence, start, end, opens=opens)
                    opens = False

    def code(self, index: int, sentence: SentenceSpan) -> Iterator[Piece]:
        """Code is no claim, but a sentence in a block of it is."""
        for start, end, prose in lines.lines_of_code(self.text, sentence.span.start, sentence.span.end):
            if prose:
                yield from self.statement(index, sentence, start, end, self.prose.read(start, end), 0)
            else:
                yield self.piece(start, end, index, "code", self.text[start:end].strip())

    def heading(self, index: int, sentence: SentenceSpan) -> Iterator[Piece]:
        """A heading names what follows; one that states something ("The bridge opened in 1955") is also a claim."""
        start, end = sentence.span.start, sentence.span.end
        stretch = self.prose.read(start, end)
        words = stretch.text
        self.listing_sources = opens_references(words)
        if lines.is_heading(words) or asks_what(words) or why_not_checkable(words) or introduces(words):
            yield Piece(start, end, index, words, "heading")
        else:
            yield from self.statement(index, sentence, start, end, stretch, 0)
        self.labels.open_heading(words, sentence.depth)
        self.antecedent = words

    # Tables

    def row(self, index: int, sentence: SentenceSpan) -> Iterator[Piece]:
        """A table row is one claim, read with the header of its table."""
        start, end = sentence.span.start, sentence.span.end
        after = self.sentences[index + 1] if index + 1 < len(self.sentences) else None
        before = self.sentences[index - 1] if index else None
        if not before or before.kind != "table" or "\n\n" in self.text[before.span.end : start]:
            self.header = None
        row = read_row(self.prose, start, end)
        if not self.header and after and after.kind == "table" and "-" in self.text[end : after.span.start]:
            self.header = row
            if all(lines.is_heading(cell.text) or asks_what(cell.text) for cell in row.cells):
                yield Piece(start, end, index, row.joined()[0], "heading")
                return
        said, runs = row.joined(self.header if self.header is not row else None)
        if not row.says_something():
            yield Piece(start, end, index, said or sentence.span.of(self.text), "connector")
            return
        size = count_tokens(said) if len(said) > CLAIM_MAX_TOKENS else 0
        if size > CLAIM_MAX_TOKENS:
            yield from self.parts(self.prose.read(start, end), 0, -1, index, start, end, "")
        else:
            yield Piece(start, end, index, said, context=self.labels.context, runs=runs)

    # Sentences and bullets

    def line(self, index: int, sentence: SentenceSpan, start: int, end: int, *, opens: bool) -> Iterator[Piece]:
        """The claims of a sentence, bullet or line of its own, with the framing before them as a piece of its own."""
        stretch = self.prose.read(start, end)
        whole = stretch.text
        title = opens_references(whole)
        self.listing_sources = self.listing_sources or title
        anchors_only = whole != self.text[start:end] and _ANCHORS_ONLY.fullmatch(whole) is not None
        listed = self.listing_sources and (title or names_source(whole, self.before(start)))
        if listed or anchors_only or _DEFINITION.match(self.text, start, end):
            yield self.piece(start, end, index, "meta", self.text[start:end].strip(), anchors_only=anchors_only)
            return
        bullet = sentence.kind == "bullet"
        low, high = lines.bold_label(self.text, start, end)
        label = self.prose.read(low, high).text if high > low else ""
        if bullet and opens:
            self.labels.open_bullet(sentence.depth, whole, label)
        elif not bullet and (opens or label):
            self.labels.open_block(label)
        done = 0
        for _ in range(_MOST_FRAMES):
            framed, reason = framing_end(whole, done)
            if framed == done:
                break
            cut = self.prose.cut(stretch, framed) if whole[framed:].strip() else end
            # An anchor with nothing before it goes with the frame: "Based on the source [1]".
            yield self.piece(start, cut, index, reason, whole[done:framed].strip())
            start, done = cut, framed
        if not whole[done:].strip():
            return
        if self.is_label(index, sentence, start, end, whole[done:]):
            yield self.label(index, sentence, start, end, whole[done:])
        else:
            yield from self.statement(index, sentence, start, end, stretch, done)

    def before(self, start: int) -> str:
        """What stands before a place on its line, with the mark that opens there: a quotation, a link."""
        opened = self.text.rfind("\n", 0, start) + 1
        return self.text[max(opened, start - _BEFORE) : start] + _OPENING.match(self.text, start)[0]  # type: ignore[index]

    def label(self, index: int, sentence: SentenceSpan, start: int, end: int, words: str) -> Piece:
        """A line that only names what follows."""
        self.antecedent = words
        if sentence.kind != "bullet":
            if words.endswith(":") or not lines.is_bold(self.text[start:end]):
                self.labels.open_intro(words)
            else:
                self.labels.open_heading(words, lines.BOLD_LINE)
        return self.piece(start, end, index, "heading", words)

    def statement(
        self, index: int, sentence: SentenceSpan, start: int, end: int, stretch: Stretch, first: int
    ) -> Iterator[Piece]:
        """The claims of a line from an offset of its prose on."""
        said = stretch.text[first:].strip()
        reason = why_not_checkable(said)
        found = list(self.clauses(stretch, first, index, start, end, reason)) if reason in _SPLIT_FIRST else []
        # "I'm sorry, but I could not find it" is one refusal.
        if reason and all(piece.reason for piece in found):
            found = [self.piece(start, end, index, reason, said)]
        if all(piece.reason for piece in found):
            doubted = doubt_end(stretch.text, first)
            if doubted > first:
                cut = self.prose.cut(stretch, doubted)
                doubt = self.piece(start, cut, index, reason or "disclaimer", stretch.text[first:doubted].strip())
                found = [doubt, *self.clauses(stretch, doubted, index, cut, end, "")]
                reason = ""
            elif not reason:
                found = list(self.clauses(stretch, first, index, start, end, reason))
        yield from found
        if sentence.kind != "bullet":
            if said.endswith(":"):
                self.labels.open_intro(said)
            elif self.labels.intro and is_statement(said):
                self.labels.close_intro()
        if not reason and not points_back(said):
            self.antecedent = said

    def is_label(self, index: int, sentence: SentenceSpan, start: int, end: int, words: str) -> bool:
        """Whether a line only names what follows: "Summary:", a line in bold, a bullet with bullets below it."""
        if words.endswith(":"):
            return introduces(words) and not lines.announces(words) and not is_statement(words)
        following = self.sentences[index + 1] if index + 1 < len(self.sentences) else None
        if sentence.kind == "bullet":
            below = following is not None and following.kind == "bullet" and following.depth > sentence.depth
            own = following is None or following.block != sentence.block
            return below and own and lines.is_heading(words) and not any(char.isdigit() for char in words)
        last = end >= sentence.span.end
        if last and following is None:
            return False  # "**Paris**" may be the answer
        if lines.is_bold(self.text[start:end]):
            return lines.is_heading(words)
        return last and following is not None and self.is_title(words, following)

    def is_title(self, words: str, following: SentenceSpan) -> bool:
        """Whether a few words over a list or table are its title ("Dosage"), and no answer with reasons below it."""
        if following.kind not in ("bullet", "table") or len(words.split()) > _SHORT_LINE:
            return False
        plain = lines.is_heading(words) and not any(char.isdigit() for char in words)
        return plain and not is_statement(following.span.of(self.text))

    def clauses(self, stretch: Stretch, first: int, index: int, start: int, end: int, reason: str) -> Iterator[Piece]:
        """The claims of a sentence, each with what its pronoun or its bullet leans on."""
        said = stretch.text
        antecedent = self.antecedent or self.labels.context
        clauses = lines.labelled(said[first:], split_clauses(said, first, len(said)))
        if len(clauses) > 1 and self.labels.goes_on():
            # "You may cancel if:" holds for both halves of a bullet.
            clauses = [ClaimClause(first, first, len(said), whole=True)]
        for number, clause in enumerate(clauses):
            last = number + 1 == len(clauses)
            cut = end if last else self.prose.cut(stretch, clauses[number + 1].start)
            own = clause.own(said)
            text = clause.completed(own)
            reason = reason if clause.whole else why_not_checkable(text)
            context = self.labels.context if self.sentences[index].kind == "bullet" else ""
            if points_back(text):
                context = antecedent
            else:
                antecedent = text
            if reason:
                yield self.piece(start, cut, index, reason, text)
            else:
                yield from self.claim(stretch, clause, own, index, start, cut, context)
            start = cut

    def claim(
        self, stretch: Stretch, clause: ClaimClause, own: str, index: int, start: int, end: int, context: str
    ) -> Iterator[Piece]:
        """A claim completed by its subject or label, in several if it is longer than the encoder can read."""
        prefix = clause.subject + " " if clause.subject else self.label_of(index, own) if clause.whole else ""
        text = prefix + own
        limit = CLAIM_MAX_TOKENS
        # A token is a character at least: most claims need no counting.
        size = len(text) if len(text) <= limit else count_tokens(text)
        begin = clause.words + stretch.text[clause.words : clause.end].index(own)
        if size > limit:
            yield from self.parts(stretch, begin, begin + len(own), index, start, end, context)
            return
        runs = moved(stretch.runs_between(begin, begin + len(own)), len(prefix) - begin)
        yield self.piece(start, end, index, "", text, "" if prefix and clause.whole else context, runs)

    def label_of(self, index: int, said: str) -> str:
        """The label a line needs before it; prose needs one only if it is short."""
        if self.sentences[index].kind != "bullet" and len(said.split()) > _SHORT_LINE:
            return ""
        return self.labels.complete(said)

    def parts(
        self, stretch: Stretch, first: int, last: int, index: int, start: int, end: int, context: str
    ) -> Iterator[Piece]:
        """A long claim cut at the ends of its clauses."""
        limit = CLAIM_MAX_TOKENS
        last = len(stretch.text) if last < 0 else last
        warning = (f"cut at a clause boundary: {count_tokens(stretch.text[first:last])} tokens, limit {limit}",)
        for low, high in lines.cut_long(stretch.text, first, last, limit):
            cut = end if high == last else self.prose.cut(stretch, high)
            own = stretch.text[low:high].strip()
            low += stretch.text[low:high].index(own)
            runs = moved(stretch.runs_between(low, low + len(own)), -low)
            yield self.piece(start, cut, index, "", own, context, runs, warning)
            start = cut

    def piece(
        self,
        start: int,
        end: int,
        index: int,
        reason: str,
        said: str,
        context: str = "",
        runs: list[Run] | None = None,
        warnings: tuple[str, ...] = (),
        *,
        anchors_only: bool = False,
    ) -> Piece:
        """A piece without the white space at its ends."""
        stretch = self.text[start:end]
        start += len(stretch) - len(stretch.lstrip())
        end = start + len(stretch.strip())
        return Piece(start, end, index, said, reason, context, warnings, runs or [], anchors_only)
