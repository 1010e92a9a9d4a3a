"""Passages as the verifier reads them: title, sentences, and where in the text each sentence stands.

A row of a table is read with its column headers ("Plan: Pro; Price: $49"), because the network sees no lines. What lies
outside sentences (list marks, rules of tables) is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.text.sentences import split_sentences
from assay.types import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MOST_TOKENS = 256  # of one passage; a longer text is read in several
_TITLE_TOKENS = 32
_QUESTION_TOKENS = 96
Key = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """A sentence of the evidence: its place in the text, its tokens `start:end` in the passage."""

    span: Span
    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EncodedPassage:
    """Token ids of one passage, the length of its title, and its sentences."""

    ids: tuple[int, ...]
    title: int  # tokens after the first that belong to the title and its separator
    sentences: tuple[ReadSentence, ...]

    @property
    def key(self) -> Key:
        """What a reading of the passage depends on: the tokens, and how they fall into sentences."""
        return self.ids, tuple((sentence.start, sentence.end) for sentence in self.sentences)


def encode_passages(text: str, title: str, tokenizer: Tokenizer, most: int = MOST_TOKENS) -> list[EncodedPassage]:
    """The text in pieces of at most `most` tokens, each with the title, cut between sentences."""
    begin, stop = special_ids(tokenizer)
    head: list[int] = []
    if title:
        head = [*tokenizer.encode(title, add_special_tokens=False).ids[:_TITLE_TOKENS], stop]
    room = most - len(head) - 2
    pieces = list(_readable(text))
    encoded = tokenizer.encode_batch([words for _, _, words in pieces], add_special_tokens=False)
    passages: list[EncodedPassage] = []
    ids: list[int] = [begin, *head]
    sentences: list[ReadSentence] = []

    def close() -> None:
        nonlocal ids, sentences
        if sentences:
            passages.append(EncodedPassage((*ids, stop), len(head), tuple(sentences)))
        ids, sentences = [begin, *head], []

    for (span, kind, _), tokens in zip(pieces, encoded, strict=True):
        own = tokens.ids
        for at in range(0, len(own), room):  # one piece, but for a sentence longer than a passage
            part = own[at : at + room]
            if len(ids) + len(part) + 1 > most:
                close()
            sentences.append(ReadSentence(span, kind, len(ids), len(ids) + len(part)))
            ids = [*ids, *part]
    close()
    return passages


def encode_question(text: str, tokenizer: Tokenizer) -> EncodedPassage:
    """The question an answer was given to: read as a passage that nothing can be quoted from."""
    begin, stop = special_ids(tokenizer)
    head = [*tokenizer.encode("question", add_special_tokens=False).ids, stop]
    body = tokenizer.encode(text, add_special_tokens=False).ids[:_QUESTION_TOKENS]
    return EncodedPassage((begin, *head, *body, stop), len(head), ())


def encode_claim(text: str, tokenizer: Tokenizer, most: int) -> list[int]:
    """The claim's token ids between the marks of a text."""
    return frame_claim(tokenizer.encode(text, add_special_tokens=False).ids, tokenizer, most)


def frame_claim(ids: Sequence[int], tokenizer: Tokenizer, most: int) -> list[int]:
    """Token ids of a claim, no more than can be read, between the marks of a text."""
    begin, stop = special_ids(tokenizer)
    return [begin, *ids[: most - 2], stop]


def special_ids(tokenizer: Tokenizer) -> tuple[int, int]:
    """The ids that begin and end a text."""
    pairs = (("<s>", "</s>"), ("[CLS]", "[SEP]"))
    for begin, stop in pairs:
        first, last = tokenizer.token_to_id(begin), tokenizer.token_to_id(stop)
        if first is not None and last is not None:
            return first, last
    raise ValueError("the tokenizer has neither <s> nor [CLS]; it does not belong to a verifier")


def _readable(text: str) -> Iterator[tuple[Span, str, str]]:
    """Each sentence with its place, its kind, and the words to be read for it."""
    header: Sequence[str] = ()
    in_table = False
    for sentence in split_sentences(text):
        words = sentence.span.of(text)
        if sentence.kind == "table":
            cells = [cell.strip() for cell in words.strip().strip("|").split("|")]
            if in_table and len(cells) == len(header):
                words = "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=True))
            elif not in_table:
                header = cells
        in_table = sentence.kind == "table"
        if words[-1:].isalnum() or words[-1:] in ")%|":
            words += "."
        yield sentence.span, sentence.kind, words


def split_passages(text: str) -> Iterator[tuple[str, int, int]]:
    """Title, start and end of each passage: a paragraph "# Title" begins one, others go on with the one before."""
    starts, at = [0], 0
    while (gap := text.find("\n\n", at)) >= 0:
        at = gap + 2
        starts.append(at)
    heads = [start for start in starts if start == 0 or text.startswith("# ", start)]
    for start, end in zip(heads, [*heads[1:], len(text)], strict=True):
        title = ""
        if text.startswith("# ", start):
            line = text.find("\n", start, end)
            line = end if line < 0 else line
            title, start = text[start + 2 : line].strip(), min(line + 1, end)
        kept = text[start:end].rstrip()
        if kept:
            yield title, start, start + len(kept)
