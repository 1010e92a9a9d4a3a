"""Would it notice? True sentences of the user's own sources, changed one fact at a time, put before the engine.

A change is caught when the engine no longer calls the sentence supported (or, for an anchor, when it objects to the
anchor). The same sentences unchanged, and said a little differently, must pass: what does not is a false alarm.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.bench.mutations import Mutation, kinds, mutate
from assay.bench.rewordings import reword
from assay.errors import SourceError
from assay.text.sentences import split_sentences
from assay.text.tokens import is_stop_word
from assay.types import Document, Report, Span, Verdict

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.memory import Memory

ANCHORED = ("swapped citation", "invented citation")
_LEANING = re.compile(r"^(?:He|She|It|They|This|That|These|Those|His|Her|Its|Their|Such|Here|There|However|But|And)\b")
_TELLS_OF_ANCHORS = ("wrong_citation", "phantom_citation")
_SHORTEST, _LONGEST = 5, 45  # words of a sentence that can stand alone
_TOLD = 0.6  # share of a mutant's words in another sentence with the new words from which it may well be true
_WORST = (Verdict.REFUTED, Verdict.INSUFFICIENT, Verdict.SUPPORTED)
_TOGETHER = 25  # cases judged as the paragraphs of one answer, so that the sources are searched in one go
MOST_COMPANY = 400  # other sentences that names and facts are taken from


@dataclass(frozen=True, slots=True)
class Grounded:
    """A sentence of a source that stands alone, and the number of that source."""

    text: str
    source: int


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence put before the engine: what kind it is, whether it is true, and what was changed."""

    kind: str
    text: str
    true: bool
    sentence: Grounded
    changed: str = ""
    original: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the engine made of a case: objected or not, with which verdict, for which reason; None if not judged."""

    case: Case
    objected: bool | None
    verdict: Verdict
    explanation: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % range; the range of Wilson, which holds for few cases too."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def range(self) -> tuple[float, float] | None:
        """
        >>> [round(end, 3) for end in Rate(9, 10).range]
        [0.596, 0.982]
        """
        if not self.of:
            return None
        z, share = 1.96, self.hits / self.of
        middle = (share + z * z / (2 * self.of)) / (1 + z * z / self.of)
        wide = z * math.sqrt(share * (1 - share) / self.of + z * z / (4 * self.of**2)) / (1 + z * z / self.of)
        # At 0 and at 1 the range ends in the share itself; rounding would put its end a hair beside it.
        return max(0.0, min(share, middle - wide)), min(1.0, max(share, middle + wide))

    def to_dict(self) -> dict[str, Any]:
        ends = self.range
        return {
            "hits": self.hits,
            "of": self.of,
            "rate": None if self.value is None else round(self.value, 4),
            "range": None if ends is None else [round(end, 4) for end in ends],
        }


@dataclass(frozen=True)
class KindResult:
    """What became of the cases of one kind, and of the true sentences they were made from."""

    kind: str
    caught: Rate
    refuted: Rate
    false_alarms: Rate
    not_judged: int


@dataclass(frozen=True)
class Selftest:
    """All outcomes, and the figures that follow from them."""

    judge: str
    sentences: int
    outcomes: tuple[Outcome, ...]

    @property
    def kinds(self) -> list[KindResult]:
        order = [kind for kind in kinds() if any(o.case.kind == kind for o in self.outcomes)]
        return [self._kind(kind) for kind in order]

    def _kind(self, kind: str) -> KindResult:
        own = [o for o in self.outcomes if o.case.kind == kind]
        judged = [o for o in own if o.objected is not None]
        behind = {o.case.sentence for o in own}
        twins = [o for o in self._true(kind in ANCHORED) if o.case.sentence in behind and o.objected is not None]
        return KindResult(
            kind,
            Rate(sum(bool(o.objected) for o in judged), len(judged)),
            Rate(sum(o.verdict is Verdict.REFUTED for o in judged), len(judged)),
            Rate(sum(bool(o.objected) for o in twins), len(twins)),
            len(own) - len(judged),
        )

    def _true(self, anchored: bool) -> list[Outcome]:
        return [o for o in self.outcomes if o.case.true and (o.case.kind == "cited") == anchored]

    def controls(self, kind: str) -> Rate:
        """False alarms on true sentences: word by word, reworded, or with their right anchor (`cited`)."""
        own = [o for o in self.outcomes if o.case.kind == kind and o.objected is not None]
        return Rate(sum(bool(o.objected) for o in own), len(own))

    @property
    def caught(self) -> Rate:
        return Rate(sum(k.caught.hits for k in self.kinds), sum(k.caught.of for k in self.kinds))

    @property
    def false_alarms(self) -> Rate:
        own = [o for o in self.outcomes if o.case.true and o.objected is not None]
        return Rate(sum(bool(o.objected) for o in own), len(own))

    @property
    def rates(self) -> dict[str, Rate]:
        """True sentences that pass, true ones called refuted, and changed ones called supported (anchors apart)."""
        judged = [o for o in self.outcomes if o.objected is not None and o.case.kind not in (*ANCHORED, "cited")]
        true, false = [o for o in judged if o.case.true], [o for o in judged if not o.case.true]
        return {
            "true_called_supported": Rate(sum(not o.objected for o in true), len(true)),
            "true_called_refuted": Rate(sum(o.verdict is Verdict.REFUTED for o in true), len(true)),
            "false_called_supported": Rate(sum(not o.objected for o in false), len(false)),
        }

    def missed(self, most: int = 10) -> list[Outcome]:
        return [o for o in self.outcomes if not o.case.true and o.objected is False][:most]

    def alarms(self, most: int = 10) -> list[Outcome]:
        return [o for o in self.outcomes if o.case.true and o.objected][:most]

    def to_dict(self) -> dict[str, Any]:
        return {
            "judge": self.judge,
            "sentences": self.sentences,
            "caught": self.caught.to_dict(),
            "false_alarms": self.false_alarms.to_dict(),
            "rates": {name: rate.to_dict() for name, rate in self.rates.items()},
            "kinds": {
                k.kind: {
                    "caught": k.caught.to_dict(),
                    "refuted": k.refuted.to_dict(),
                    "false_alarms": k.false_alarms.to_dict(),
                    "not_judged": k.not_judged,
                }
                for k in self.kinds
            },
            "controls": {kind: self.controls(kind).to_dict() for kind in ("verbatim", "reworded", "cited")},
            "missed": [_shown(o) for o in self.missed()],
            "alarms": [_shown(o) for o in self.alarms()],
        }


def _shown(outcome: Outcome) -> dict[str, Any]:
    case = outcome.case
    return {
        "kind": case.kind,
        "text": case.text,
        "original": case.sentence.text,
        "verdict": outcome.verdict.value,
        "explanation": outcome.explanation,
        "quote": outcome.quote,
    }


def find_sentences(documents: Sequence[Document]) -> list[Grounded]:
    """The sentences of the documents that stand alone, without repeats."""
    found: dict[str, Grounded] = {}
    for number, document in enumerate(documents, 1):
        for sentence in split_sentences(document.text):
            text = " ".join(sentence.span.of(document.text).split())
            fits = sentence.kind in ("prose", "bullet") and text.endswith(".") and text[:1].isupper()
            if fits and _SHORTEST <= len(text.split()) <= _LONGEST and not _LEANING.match(text):
                found.setdefault(text, Grounded(text, number))
    return list(found.values())


def make_cases(documents: Sequence[Document], count: int, seed: int, *, anchored: bool) -> list[Case]:
    """So many sentences of the documents, as they stand, reworded, and changed in every way that fits."""
    sentences = find_sentences(documents)
    if not sentences:
        raise SourceError("the sources hold no plain sentence that stands alone, so there is nothing to change")
    dice = random.Random(seed)
    chosen = dice.sample(sentences, min(count, len(sentences)))
    company = [s.text for s in dice.sample(sentences, min(MOST_COMPANY, len(sentences)))]
    stems = [(text, _content(text)) for text in (s.text for s in sentences)]
    cases: list[Case] = []
    for sentence in chosen:
        others = [text for text in company if text != sentence.text]
        cases.append(Case("verbatim", sentence.text, True, sentence))
        if said := reword(sentence.text, seed):
            cases.append(Case("reworded", said, True, sentence))
        cases.extend(
            Case(made.kind, made.text, False, sentence, made.changed.of(made.text), made.original)
            for made in mutate(sentence.text, seed, others=others)
            if not _told_elsewhere(made, sentence.text, stems)
        )
        if anchored:
            cases.extend(_cited(sentence, len(documents), seed))
    return cases


def _cited(sentence: Grounded, sources: int, seed: int) -> Iterator[Case]:
    cited = f"{sentence.text.rstrip('.')} [{sentence.source}]."
    yield Case("cited", cited, True, sentence)
    for made in mutate(cited, seed, sources=sources):
        if made.kind in ANCHORED:
            yield Case(made.kind, made.text, False, sentence, made.changed.of(made.text), made.original)


def _content(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"\w+", text.lower()) if not is_stop_word(word))


def _told_elsewhere(made: Mutation, sentence: str, others: Sequence[tuple[str, frozenset[str]]]) -> bool:
    """Whether another sentence has the new words and most of the rest: then the change may have made it true."""
    new = _content(made.changed.of(made.text)) - _content(sentence)
    if not new:
        return False
    words = _content(made.text)
    return any(
        text != sentence and new <= theirs and len(words & theirs) >= _TOLD * len(words) for text, theirs in others
    )


def run_selftest(
    engine: Engine,
    documents: Sequence[Document],
    *,
    memory: Memory | None = None,
    sentences: int = 40,
    seed: int = 0,
    step: Callable[[int, int], None] = lambda done, total: None,
) -> Selftest:
    """Every case judged by the engine against the documents, or against the memory they were taken from."""
    cases = make_cases(documents, sentences, seed, anchored=memory is None and len(documents) > 1)
    sources: Any = memory if memory is not None else list(documents)
    outcomes: list[Outcome] = []
    for batch in _batches(cases):
        report = engine.verify("\n\n".join(case.text for case in batch), sources=sources)
        start = 0
        for case in batch:
            outcomes.append(_read(case, report, Span(start, start + len(case.text))))
            start += len(case.text) + 2
        step(len(outcomes), len(cases))
    return Selftest(engine.judge.name, len({case.sentence for case in cases}), tuple(outcomes))


def _batches(cases: Sequence[Case]) -> Iterator[list[Case]]:
    """Cases that can be judged together: no two made from one sentence, whose claims would be taken for the same."""
    rounds: list[list[Case]] = []
    seen: Counter[Grounded] = Counter()
    for case in cases:
        number = seen[case.sentence]
        seen[case.sentence] += 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(case)
    for group in rounds:
        for first in range(0, len(group), _TOGETHER):
            yield group[first : first + _TOGETHER]


def _read(case: Case, report: Report, place: Span) -> Outcome:
    """Whether the engine objected: to the anchor where one was changed, to any claim otherwise."""
    own = [f for f in report.findings if any(span.overlaps(place) for span in f.spans)]
    findings = [f for f in own if f.verdict not in (Verdict.NOT_CHECKABLE, Verdict.ERROR)]
    if not findings:
        found = own[0] if own else None
        return Outcome(
            case, None, found.verdict if found else Verdict.NOT_CHECKABLE, found.explanation if found else ""
        )
    worst = min(findings, key=lambda f: _WORST.index(f.verdict))
    quote = worst.evidence[0].quote if worst.evidence else ""
    if case.kind == "cited" or case.kind in ANCHORED:
        objected = any(tell in f.violations for f in findings for tell in _TELLS_OF_ANCHORS)
    else:
        objected = any(f.verdict is not Verdict.SUPPORTED for f in findings)
    return Outcome(case, objected, worst.verdict, worst.explanation, quote)


def changed_span(case: Case) -> Span | None:
    """Where the changed words stand in the text of a case, for showing them."""
    at = case.text.find(case.changed) if case.changed.strip() else -1
    return Span(at, at + len(case.changed)) if at >= 0 else None
